/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes records to the analysis and the recording. If only windows are recorded, the watch gets
 * the records instead of the recording. After a complete drain (reading the ring buffer), adds a
 * WATERMARK record. This record contains an instant up to which all records have come. The pause
 * between drains is short if many records come.
 */
#include "command/live/collector.h"

#include "util/clock.h"

/*
 * The records of one drain should stay in the CPU's caches until they are analysed: with 50 ms of a
 * fast ping-pong the analysis takes twice the time. But every drain wakes this program, which
 * disturbs the threads that share its CPU.
 */
#define RECORDS_MANY      4096
#define RECORDS_FEW       (RECORDS_MANY / 4)
#define PAUSE_SHORTEST_NS 2000000ULL
#define PAUSE_LONGEST_NS  64000000ULL

static void record_it(struct collector *collector, const struct record *record)
{
	if (collector->recording && recording__write(collector->recording, record))
		collector->recording_failed = true;
}

int collector_put(void *ctx, const struct record *record)
{
	struct collector *collector = ctx;
	int err;

	collector->records++;
	record_it(collector, record);
	if (collector->scripts)
		scripts__see(collector->scripts, record);
	if (collector->groups)
		groups__see(collector->groups, record);
	err = analysis__record(collector->analysis, record);
	/* A run's messages have their numbers before the watermark that has released them. */
	return err || !collector->watch ? err : watch__record(collector->watch, record);
}

/*
 *	       previous drain          this drain
 *	------------|-----------------------|------------> time
 *	  settled   |  records may still be under way
 *
 * A record reaches the ring buffer a moment after its event. All events before the beginning of the
 * previous drain have arrived by now, unless that drain was held up.
 */
void collector_begin(struct collector *collector)
{
	collector->settled_ns = collector->drained_ns;
	if (collector->tracer)
		collector->settled_ns =
			tracer__settled_ns(collector->tracer, collector->settled_ns);
	collector->began_ns = clock_now_ns();
	collector->records = 0;
}

static void choose_pause(struct collector *collector)
{
	if (!collector->pause_ns)
		collector->pause_ns = PAUSE_LONGEST_NS;
	if (collector->records > RECORDS_MANY && collector->pause_ns > PAUSE_SHORTEST_NS)
		collector->pause_ns /= 2;
	else if (collector->records < RECORDS_FEW && collector->pause_ns < PAUSE_LONGEST_NS)
		collector->pause_ns *= 2;
}

uint64_t collector_pause_ns(const struct collector *collector, uint64_t longest_ns)
{
	bool is_short = collector->pause_ns && collector->pause_ns < PAUSE_LONGEST_NS;

	return is_short && collector->pause_ns < longest_ns ? collector->pause_ns : longest_ns;
}

static int collector_put_stack(void *ctx, const struct stack_sample *sample)
{
	struct collector *collector = ctx;

	return stack_log__sample(collector->stacks, sample, collector_put, collector);
}

/* After the records, which include the name of a thread whose stack was taken. */
static int drain_stacks(struct collector *collector)
{
	int err = 0;

	if (collector->stacks && collector->tracer)
		err = tracer__drain_stacks(collector->tracer, collector_put_stack, collector);
	if (!err && collector->stacks)
		stack_log__drained(collector->stacks);
	return err;
}

int collector_end(struct collector *collector)
{
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = collector->settled_ns,
	};
	int err =
		collector->tracer ? tracer__drain(collector->tracer, collector_put, collector) : 0;

	if (err >= 0)
		err = drain_stacks(collector);
	choose_pause(collector);
	if (err >= 0 && collector->scripts)
		err = scripts__read(collector->scripts, collector_put, collector);
	if (err >= 0 && collector->groups)
		err = groups__read(collector->groups, clock_now_ns(), collector_put, collector);
	/* Records behind a half-written record can be as old as those that have arrived. */
	if (err < 0 || (collector->tracer && tracer__is_held_up(collector->tracer)))
		return err;
	collector->drained_ns = collector->began_ns;
	err = collector_put(collector, &watermark.head);
	if (err || !collector->watch)
		return err;
	return watch__end_drain(collector->watch, clock_now_ns(), watermark.before_ns,
				analysis__horizon_ns(collector->analysis));
}

int collector_finish_windows(struct collector *collector, struct recording_writer *recording)
{
	int err = collector->watch ? watch__finish(collector->watch, clock_now_ns()) : 0;

	if (!err && recording &&
	    recording__keep_summary(recording, analysis__summary(collector->analysis)))
		collector->recording_failed = true;
	return err;
}
