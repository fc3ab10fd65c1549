/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the steps of a session, which traces processes once and analyses the records. A drain reads
 * the ring buffer. After a complete one it adds a WATERMARK record, which contains an instant up to
 * which all records have come. The pause between drains is short if many records come.
 */
#include "command/live/session.h"

#include "bpf/deep.h"
#include "cli/options.h"
#include "command/host.h"
#include "command/output.h"
#include "util/clock.h"
#include "util/duration.h"
#include "util/log.h"

#include <errno.h>
#include <stdio.h>

/*
 * The records of one drain should stay in the CPU's caches until they are analysed: with 50 ms of a
 * fast ping-pong the analysis takes twice the time. But every drain wakes this program, which
 * disturbs the threads that share its CPU.
 */
#define RECORDS_MANY      4096
#define RECORDS_FEW       (RECORDS_MANY / 4)
#define PAUSE_SHORTEST_NS 2000000ULL
#define PAUSE_LONGEST_NS  64000000ULL

int collector_put(void *ctx, const struct record *record)
{
	struct collector *collector = ctx;
	int err;

	collector->records++;
	if (collector->recording && recording__write(collector->recording, record))
		collector->recording_failed = true;
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
static void collector_begin(struct collector *collector)
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

static uint64_t collector_pause_ns(const struct collector *collector, uint64_t longest_ns)
{
	bool is_short = collector->pause_ns && collector->pause_ns < PAUSE_LONGEST_NS;

	return is_short && collector->pause_ns < longest_ns ? collector->pause_ns : longest_ns;
}

/* The kernel knows which functions waited for a lock, and their names only until it boots again. */
static int collector_put_lock(struct collector *collector,
			      const struct record_kernel_lock_stack *record)
{
	struct record_kernel_lock_function known = {.lock = record->lock};
	uint64_t address[LOCK_FRAMES_MAX];
	size_t cnt = tracer__lock_stack(collector->tracer, record->stack, address);

	lock_names__find(collector->locks, address, cnt, known.function, sizeof(known.function));
	known.lock.head.words = known.function[0] ? RECORD_WORDS(known) : RECORD_WORDS(known.lock);
	return collector_put(collector, &known.lock.head);
}

/* Of the tracer. */
static int collector_put_traced(void *ctx, const struct record *record)
{
	struct collector *collector = ctx;

	if (record->type == RECORD_KERNEL_LOCK && collector->locks)
		return collector_put_lock(collector, (const void *)record);
	return collector_put(collector, record);
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

static int collector_end(struct collector *collector)
{
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = collector->settled_ns,
	};
	int err = collector->tracer
			  ? tracer__drain(collector->tracer, collector_put_traced, collector)
			  : 0;

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

/* For a step that is not a drain: the start, and the way from the last drain to the report. */
#define STEP_PATIENCE_NS NSEC_PER_SEC

/*
 * A message is compared with the condition of --stop-at in the second drain after its receive, and
 * the program should end within 100 ms of it.
 */
#define STOP_DRAIN_NS    (10 * NSEC_PER_MSEC)
#define STOP_PATIENCE_NS (10 * NSEC_PER_MSEC)

/* What is left to do after --stop-at has been reached should not wait for other threads either. */
static uint64_t step_patience_ns(const struct session *session)
{
	return session_end(session) == WATCH_STOPPED ? STOP_PATIENCE_NS : STEP_PATIENCE_NS;
}

static uint64_t drain_patience_ns(const struct session *session)
{
	bool hurries = session->watch && session->trace->watch.stop.step_cnt;

	return hurries && session->patience_ns > STOP_PATIENCE_NS ? STOP_PATIENCE_NS
								  : session->patience_ns;
}

/*
 * A temporary recording that --stop-at alone needs has only the time around what ends tracing. It
 * is of windows, too, but the report does not say so.
 */
static int begin_recording(struct session *session)
{
	struct recording_writer *recording = session->output ? session->output->recording : NULL;
	struct run_info info = *session->info;

	if (!recording)
		return 0;
	if (session->trace->watch.stop.step_cnt && !session->trace->record &&
	    !session->trace->explain.is_asked) {
		info.keep_ns = session->trace->watch.keep_ns;
		snprintf(info.condition, sizeof(info.condition), "%s",
			 session->trace->watch.stop.text);
	}
	session->has_windows = info.condition[0];
	if (!session->has_windows)
		session->collector.recording = recording;
	return recording__begin_run(recording, &info) ? -EIO : 0;
}

/* The conditions are compared with the messages of this session. */
static int open_watch(struct session *session)
{
	const struct watch_options *options = &session->trace->watch;
	struct output *output = session->output;

	if (!output || !watch_options_given(options) || !session->info->traced)
		return 0;
	/* A command of --on-slow is as if the reader did not yield. */
	yield__pause(session->yield);
	session->watch = watch__new(&(struct watch_spec){
		.info = session->info,
		.trigger = options->trigger.step_cnt ? &options->trigger : NULL,
		.stop = options->stop.step_cnt ? &options->stop : NULL,
		.keep_ns = options->keep_ns,
		.count = options->count,
		.on_slow = options->on_slow,
		.recording = session->has_windows ? output->recording : NULL,
	});
	yield__resume(session->yield);
	output->watch = session->collector.watch = session->watch;
	if (session->watch && session->collector.tracer)
		tracer__own(session->collector.tracer, watch__keeper(session->watch));
	return session->watch ? 0 : -ENOMEM;
}

static int open_stacks(struct session *session)
{
	if (!session->stacks_over_ns)
		return 0;
	if (!tracer__takes_stacks(session->collector.tracer)) {
		log_warning(
			"no stacks are taken: --stacks: this kernel does not show the stacks "
			"of other threads to programs, or --btf is given: the report lacks them");
		session->stacks_over_ns = 0;
		return 0;
	}
	session->collector.stacks = stack_log__new();
	return session->collector.stacks ? 0 : -ENOMEM;
}

static int open_session(struct session *session)
{
	struct collector *collector = &session->collector;
	struct run_info *info = session->info;
	int err;

	info->begin = (struct begin){0};
	err = session->ops->open(session);
	if (err)
		return err;
	/* An attach counts sends already. */
	if (!info->begin.ns)
		info->begin = begin_now();
	info->shows_room = true;
	if (collector->tracer) {
		yield__watch(session->yield, collector->tracer);
		info->shows_switch = tracer__shows_switch(collector->tracer);
		err = open_stacks(session);
	}
	if (err)
		return err;
	if (collector->tracer && info->level == LEVEL_DEEP) {
		collector->groups = groups__new("");
		collector->locks = lock_names__new("/proc/kallsyms");
	}
	err = begin_recording(session);
	if (!err)
		err = open_watch(session);
	if (err)
		return err;
	err = session->output ? output_run(session->output, info) : 0;
	if (err)
		return err;
	collector->analysis = session->output ? output_analysis(session->output, info)
					      : analysis__new(info, NULL);
	if (!collector->analysis)
		return -ENOMEM;
	if (session->watch)
		watch__begin(session->watch, collector->analysis);
	return 0;
}

static int drain(struct session *session)
{
	int err;

	/* The hook session_goes_on() may sleep twice. */
	slices_begin(&session->slices, 2 * session->drain_interval_ns);
	collector_begin(&session->collector);
	err = session->ops->before_drain(session);
	if (!err)
		err = collector_end(&session->collector);
	if (!err && session->ops->after_drain)
		session->ops->after_drain(session);
	slices_end(&session->slices);
	return err || !session->output ? err : output_flush(session->output);
}

/* Sleeps until the next drain. False: tracing ends. */
static bool session_goes_on(struct session *session)
{
	uint64_t pause_ns = collector_pause_ns(&session->collector, session->drain_interval_ns);

	yield__due(session->yield, pause_ns + drain_patience_ns(session));
	return session->ops->goes_on(session, pause_ns);
}

static int trace(struct session *session)
{
	int err = session->ops->start(session);

	session->start_ns = clock_now_ns() - session->began_ns;
	/* An attach that waited long for a CPU has missed what a user may expect to see. */
	if (!err && session->info->mode == MODE_ATTACH && session->start_ns >= LATE_START_NS)
		log_warning("tracing began late: %s after the start: ipctrace may have got no CPU: "
			    "messages before that are not in the report",
			    DURATION(session->start_ns));
	session->steal = steal__begin("");
	while (!err && session_goes_on(session))
		err = drain(session);
	yield__due(session->yield, step_patience_ns(session));
	if (!err)
		err = steal__end(session->steal, "", collector_put, &session->collector);
	return err ? err : session->ops->stop(session);
}

/* What the reader needed for all but the report. */
static int put_reader(struct session *session)
{
	struct record_reader record = {
		.head = {.type = RECORD_READER, .words = RECORD_WORDS(record)},
		.policy = yield__policy(session->yield),
		.start_ns = session->start_ns,
		.hurried_ns = yield__hurried_ns(session->yield),
	};

	return collector_put(&session->collector, &record.head);
}

/*
 * Before the report, which may use all CPUs. The reader of an attach keeps off those of the targets
 * while the kernel frees the maps.
 */
static void free_tracer(struct session *session)
{
	yield__due(session->yield, step_patience_ns(session));
	yield__watch(session->yield, NULL);
	tracer__free(session->collector.tracer);
	session->collector.tracer = NULL;
	yield__come_back(session->yield);
}

/* The programs' own functions have names as long as they are loaded. */
static int put_stacks(struct session *session)
{
	struct collector *collector = &session->collector;
	uint64_t count[NR_SAMPLE_COUNTS];

	if (!collector->stacks)
		return 0;
	tracer__sample_counts(collector->tracer, count);
	return stack_log__finish(collector->stacks, session->stacks_over_ns, count, collector_put,
				 collector);
}

static int finish_records(struct session *session)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};
	struct tracer *tracer = session->collector.tracer;
	int err;

	if (tracer)
		tracer__detach(tracer);
	err = drain(session);
	if (!err && tracer)
		err = tracer__losses(tracer, end.loss);
	if (!err && tracer)
		err = put_reader(session);
	if (!err)
		err = session->ops->finish(session, &end);
	if (!err && tracer)
		err = put_stacks(session);
	free_tracer(session);
	return err ? err : collector_put(&session->collector, &end.head);
}

/* After the analysis: writes the rest of a window, and then the statistics of all messages. */
static int session_finish_windows(struct session *session)
{
	struct collector *collector = &session->collector;
	int err = collector->watch ? watch__finish(collector->watch, clock_now_ns()) : 0;

	if (!err && session->has_windows &&
	    recording__keep_summary(session->output->recording,
				    analysis__summary(collector->analysis)))
		collector->recording_failed = true;
	return err;
}

int session_run(struct session *session)
{
	int err;

	session->began_ns = clock_now_ns();
	session->stacks_over_ns = session->trace->stacks_over_ns;
	if (session->info->traced)
		session->yield =
			yield__begin(&session->trace->reader, session->is_alone, STEP_PATIENCE_NS);
	slices_open(&session->slices);
	err = open_session(session);
	if (!err)
		err = trace(session);
	if (!err)
		err = finish_records(session);
	/* What is cleaned up after a failure needs descriptors, which may be short. */
	if (err && session->collector.tracer)
		free_tracer(session);
	slices_close(&session->slices);
	yield__finish(session->yield);
	if (!err)
		err = analysis__finish(session->collector.analysis);
	return err ? err : session_finish_windows(session);
}

enum watch_end session_end(const struct session *session)
{
	return session->watch ? watch__end(session->watch) : WATCH_GOES_ON;
}

const struct occasion *session_stopped_by(const struct session *session)
{
	bool is_stopped = session_end(session) == WATCH_STOPPED;

	return is_stopped ? watch__stopped_by(session->watch) : NULL;
}

uint64_t session_drain_ns(const struct trace_options *trace, uint64_t longest_ns)
{
	return trace->watch.stop.step_cnt && longest_ns > STOP_DRAIN_NS ? STOP_DRAIN_NS
									: longest_ns;
}

int session_report(struct session *session)
{
	const struct analysis *analysis = session->collector.analysis;
	int err;

	output_warn_of_left_out(analysis);
	err = output_result(session->output, analysis__summary(analysis));
	return !err && session->collector.recording_failed ? -EIO : err;
}

void session_close(struct session *session)
{
	/* Their processes end before the control group that they are in. */
	watch__free(session->watch);
	stack_log__free(session->collector.stacks);
	lock_names__free(session->collector.locks);
	yield__end(session->yield);
	if (session->output)
		session->output->watch = NULL;
	analysis__free(session->collector.analysis);
	scripts__free(session->collector.scripts);
	groups__free(session->collector.groups);
	steal__free(session->steal);
	tracer__free(session->collector.tracer);
}
