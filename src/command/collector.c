/* SPDX-License-Identifier: BSD-2-Clause */
#include "command/collector.h"

#include "util/clock.h"

/*
 * What one drain brings should stay in the caches until it is analysed: with 50 ms of a fast
 * ping-pong that takes twice the time. But every drain wakes us, which disturbs who shares our CPU.
 */
#define RECORDS_MANY      4096
#define RECORDS_FEW       (RECORDS_MANY / 4)
#define PAUSE_SHORTEST_NS 2000000ULL
#define PAUSE_LONGEST_NS  64000000ULL

static void record_it(struct collector *feed, const struct record *record)
{
	if (feed->recording && recording__write(feed->recording, record))
		feed->recording_failed = true;
}

/* What a watermark has brought is safe even if we end badly. */
static void flush_kept(struct collector *feed, const struct record *record)
{
	if (record->type == RECORD_WATERMARK && recording__flush(feed->recording))
		feed->recording_failed = true;
}

int collector_put(void *ctx, const struct record *record)
{
	struct collector *feed = ctx;
	int err;

	feed->records++;
	if (!feed->keeps_slow)
		record_it(feed, record);
	err = analysis__record(feed->analysis, record);
	if (feed->keeps_slow)
		flush_kept(feed, record);
	return err;
}

/*
 *	       previous drain          this drain
 *	------------|-----------------------|------------> time
 *	  settled   |  may still be on its way to us
 *
 * A record reaches the ring buffer a moment after the instant that it is about; what happened
 * before the previous drain began has arrived by now, unless the drain is held up.
 */
void collector_begin(struct collector *feed)
{
	feed->settled_ns = feed->drained_ns;
	if (feed->trace)
		feed->settled_ns = tracer__settled_ns(feed->trace, feed->settled_ns);
	feed->began_ns = clock_now_ns();
	feed->records = 0;
}

static void choose_pause(struct collector *feed)
{
	if (!feed->pause_ns)
		feed->pause_ns = PAUSE_LONGEST_NS;
	if (feed->records > RECORDS_MANY && feed->pause_ns > PAUSE_SHORTEST_NS)
		feed->pause_ns /= 2;
	else if (feed->records < RECORDS_FEW && feed->pause_ns < PAUSE_LONGEST_NS)
		feed->pause_ns *= 2;
}

uint64_t collector_pause_ns(const struct collector *feed, uint64_t longest_ns)
{
	bool is_short = feed->pause_ns && feed->pause_ns < PAUSE_LONGEST_NS;

	return is_short && feed->pause_ns < longest_ns ? feed->pause_ns : longest_ns;
}

int collector_end(struct collector *feed)
{
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = feed->settled_ns,
	};
	int err = feed->trace ? tracer__drain(feed->trace, collector_put, feed) : 0;

	choose_pause(feed);
	/* Records behind one that is half written may be as old as those that have arrived. */
	if (err < 0 || (feed->trace && tracer__is_held_up(feed->trace)))
		return err;
	feed->drained_ns = feed->began_ns;
	return collector_put(feed, &watermark.head);
}

void collector_keep_summary(struct collector *feed)
{
	const struct summary *summary = analysis__summary(feed->analysis);

	if (feed->keeps_slow && recording__keep_summary(feed->recording, summary))
		feed->recording_failed = true;
}
