/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes one run of a workload, whose processes wait until the tracer is attached. */
#include "command/live/run_once.h"

#include "command/live/interrupt.h"
#include "command/output.h"
#include "command/progress.h"
#include "command/live/session.h"
#include "load/load.h"
#include "model/observer_effect.h"
#include "insight/metrics.h"
#include "report/words/summary_words.h"
#include "transport/transport.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/status_line.h"
#include "workload/workload.h"

#include <errno.h>

struct run {
	struct session session;
	const struct run_setup *setup;
	struct workload *workload;
	uint64_t due_ns; /* no drain before this time */

	uint64_t load_from; /* the count of the load when the workload began */
	bool load_ended;    /* by itself (logged) */

	/* The cost of tracing, measured in the warm-up. */
	bool measuring;
	uint64_t measure_from; /* the round in which the measurement began */
	uint64_t bpf_ns;
	uint64_t bpf_messages;
};

/* The kernel records of one message, at most. */
#define BYTES_PER_MESSAGE 300

/* Those of its connection, if it has one of its own. */
#define BYTES_PER_CONNECTION 300

/*
 * A message that is received in parts, or is larger than the least buffer on its way, lets both
 * sides sleep in between: their changes of state need so many bytes for each part, at most.
 */
#define BUFFER_LEAST   4096
#define BYTES_PER_PART 150

/*
 * The ring buffer holds this many times what gathers between two drains. A drain may be late, and
 * other tasks make records too: a traced thread that waits behind two tasks that do nothing but
 * wake each other gets a record for each of their switches. The size has bounds, because large
 * rings cost memory.
 */
#define RING_RESERVE    8
#define SIZE_OF_RUN_MIN (8u << 20)
#define SIZE_OF_RUN_MAX (16u << 20)

/* Bytes of kernel records for one message, at most. */
static uint64_t ring_bytes_of_message(const struct workload_spec *spec)
{
	uint64_t read_size = spec->read_size ? spec->read_size : BUFFER_LEAST;

	return BYTES_PER_MESSAGE + spec->size / read_size * BYTES_PER_PART +
	       (spec_has_connections(spec) ? BYTES_PER_CONNECTION : 0);
}

/*
 * For a run that sends without a pause: records come as fast as the machine can produce them, also
 * while the reader has no CPU.
 */
#define RING_SIZE_LARGEST (64u << 20)

/* A tick sends to all clients. Without ticks, the server serves one client after the other. */
static uint64_t ring_size_bytes_in(const struct workload_spec *spec, uint64_t ns)
{
	uint64_t messages = spec->period_ns ? spec->clients : 1;

	return BYTES_PER_MESSAGE * messages * (ns / workload_step_ns(spec) + 1);
}

/* `drain_interval_ns` is how long the workload's own logs last. */
static size_t ring_size_of_run(const struct workload_spec *spec, uint64_t drain_interval_ns)
{
	uint64_t wanted = RING_RESERVE * ring_size_bytes_in(spec, drain_interval_ns);

	if (!spec->period_ns)
		return RING_SIZE_LARGEST;
	return wanted < SIZE_OF_RUN_MIN   ? SIZE_OF_RUN_MIN
	       : wanted > SIZE_OF_RUN_MAX ? SIZE_OF_RUN_MAX
					  : wanted;
}

/* The longest time between two drains: a part of the largest ring must hold the records. */
static uint64_t ring_drain_interval_ns(const struct workload_spec *spec, uint64_t drain_interval_ns)
{
	uint64_t ring_ns = SIZE_OF_RUN_MAX / RING_RESERVE / ring_size_bytes_in(spec, 0) *
			   workload_step_ns(spec);

	return ring_ns < drain_interval_ns ? ring_ns : drain_interval_ns;
}

static struct run *run_of(struct session *session)
{
	return (struct run *)session;
}

static const struct workload_spec *run_once_spec_of(const struct run *run)
{
	return &run->session.info->workload;
}

static int run_once_open_tracer(struct session *session)
{
	const struct run *run = run_of(session);
	const struct run_info *info = session->info;
	const struct transport_ops *transport = transport_find(info->workload.transport);
	const struct tracer_spec spec = {
		.transports = 1u << transport->id,
		.from_workload = transport->notes_handover,
		.no_syscalls = info->level == LEVEL_LIGHT,
		.deep = info->level == LEVEL_DEEP,
		.ticks = spec_has_rounds(&info->workload),
		.short_lived = spec_has_connections(&info->workload),
		.connections = spec_has_connections(&info->workload),
		.ring_size = ring_size_of_run(&info->workload,
					      workload__drain_interval_ns(run->workload)),
		.stacks_ns = session->stacks_over_ns,
		.types = run->setup->types,
	};

	if (!info->traced)
		return 0;
	session->collector.tracer = tracer__new(&spec);
	return session->collector.tracer ? 0 : -errno;
}

static int put_observer_effect(struct run *run)
{
	const struct observer_effect *effect = run->setup->effect;
	struct record_observer_effect record;

	if (!effect || !effect->pairs)
		return 0;
	record = observer_effect_record(effect);
	return collector_put(&run->session.collector, &record.head);
}

/* The processes wait at the gate until the tracer is attached. */
static int start_workload(const struct run *run)
{
	struct tracer *tracer = run->session.collector.tracer;
	struct ring_gauge ring;
	pid_t pid;
	int err;

	if (tracer) {
		ring = tracer__gauge(tracer);
		workload__share_ring(run->workload, &ring,
				     ring_bytes_of_message(run_once_spec_of(run)));
	}
	yield__pause(run->session.yield);
	err = workload__spawn(run->workload);
	yield__resume(run->session.yield);
	yield__due(run->session.yield, NSEC_PER_SEC);
	for (unsigned int i = 0; !err && tracer && (pid = workload__pid(run->workload, i)); i++)
		err = tracer__add_process(tracer, pid);
	if (!err && tracer)
		err = tracer__attach(tracer);
	return err ? err : workload__start(run->workload);
}

/*
 * Members whose priority keeps the reader from all CPUs pause if it is not back after this time.
 * That is before the kernel takes a CPU from real-time threads for the others, 50 ms of each second
 * (its fair server, or sched_rt_runtime_us), when their messages would wait for the reader.
 */
#define OVERDUE_NS (NSEC_PER_SEC / 4)

static void resume_workload(struct session *session)
{
	workload__drained(run_of(session)->workload,
			  session->drain_interval_ns + session->patience_ns + OVERDUE_NS);
}

/* While all members pause, the reader may have a CPU for as long as it needs. */
static bool is_alone(const void *run)
{
	return workload__pauses(((const struct run *)run)->workload);
}

static bool run_once_is_first(const void *run)
{
	return yield__is_first(((const struct run *)run)->session.yield);
}

static int run_once_start(struct session *session)
{
	struct run *run = run_of(session);
	int err = put_observer_effect(run);

	if (err)
		return err;
	err = start_workload(run);
	resume_workload(session);
	log_info("%s %u clients%s", err ? "could not start" : "running",
		 run_once_spec_of(run)->clients, session->collector.tracer ? ", traced" : "");
	interrupt_watch(run->workload);
	return err;
}

/*
 * Measures only on demand, and only in the warm-up: the kernel then reads its clock around every
 * program, which costs time itself.
 */
static void measure_cost(struct run *run)
{
	struct tracer *tracer = run->session.collector.tracer;
	uint64_t warmup = run_once_spec_of(run)->warmup;
	uint64_t rounds = workload__rounds(run->workload);

	if (!run->setup->effect || !tracer || run->bpf_messages ||
	    !run_once_spec_of(run)->period_ns)
		return;
	if (!run->measuring && rounds && rounds < warmup / 2) {
		run->measuring = !tracer__cost_begin(tracer);
		run->measure_from = rounds;
	} else if (run->measuring && rounds >= warmup / 2) {
		run->measuring = false;
		if (!tracer__cost_end(tracer, &run->bpf_ns))
			run->bpf_messages = (rounds - run->measure_from) *
					    workload__messages_per_round(run->workload);
	}
}

/* Pauses are shorter in the warm-up, so that the measurement ends within it. */
static uint64_t run_once_pause_ns(const struct run *run, uint64_t interval_ns)
{
	const struct workload_spec *spec = run_once_spec_of(run);
	uint64_t part_ns = spec->warmup * workload_step_ns(spec) / 8;

	if (!run->session.collector.tracer || workload__rounds(run->workload) >= spec->warmup ||
	    !part_ns)
		return interval_ns;
	return part_ns < interval_ns ? part_ns : interval_ns;
}

/* A run goes on after its load has ended. The report shows that. */
static void watch_load(struct run *run)
{
	char why[LOAD_WHY_LEN];

	if (!run->setup->load || run->load_ended || load__alive(run->setup->load, why))
		return;
	run->load_ended = true;
	log_warning("%s: the figures of this run are in part without a load", why);
}

static bool run_once_goes_on(struct session *session, uint64_t interval_ns)
{
	struct run *run = run_of(session);
	const struct workload_spec *spec = run_once_spec_of(run);

	watch_load(run);
	progress_show(run->setup->progress, clock_now_ns(), workload__rounds(run->workload),
		      spec->warmup + spec->messages);
	do {
		if (session_end(session))
			workload__stop(run->workload);
		if (!workload__running(run->workload) || interrupt_is_second()) {
			status_line_clear();
			return false;
		}
		measure_cost(run);
		interrupt_sleep(run_once_pause_ns(run, interval_ns));
	} while (clock_now_ns() < run->due_ns);
	run->due_ns = clock_now_ns() + interval_ns / 2;
	return true;
}

static int drain_workload(struct session *session)
{
	return workload__drain(run_of(session)->workload, collector_put, &session->collector);
}

/* After a second interrupt there is no report. */
static int run_once_stop(struct session *session)
{
	(void)session;
	return interrupt_is_second() ? -EINTR : 0;
}

static int put_load(struct run *run)
{
	struct record_load load = {
		.head = {.type = RECORD_LOAD, .words = RECORD_WORDS(load)},
		.ended = run->load_ended,
	};

	if (!run->setup->load)
		return 0;
	load.count = load__count(run->setup->load) - run->load_from;
	return collector_put(&run->session.collector, &load.head);
}

/* Emits a LEFT record if an interrupt or a condition has ended the run. */
static int put_ending(struct run *run)
{
	enum watch_end end = session_end(&run->session);
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
		.client = LEFT_ALL,
		.reason = LEFT_SIGNAL,
		.round = true,
		.detail = (uint64_t)interrupt_signal(),
	};

	if (!interrupt_happened() && end) {
		left.reason = end == WATCH_STOPPED ? LEFT_STOP_AT : LEFT_COUNT;
		left.detail = 0;
	}
	return interrupt_happened() || end ? collector_put(&run->session.collector, &left.head) : 0;
}

static int run_once_finish(struct session *session, struct record_end *end)
{
	struct run *run = run_of(session);
	int err = put_load(run);

	if (!err)
		err = put_ending(run);
	end->bpf_ns = run->bpf_ns;
	end->bpf_messages = run->bpf_messages;
	end->loss[LOSS_STAMPS] = workload__lost(run->workload);
	return err ? err : run_once_stop(session);
}

static const struct session_ops run_ops = {
	.open = run_once_open_tracer,
	.start = run_once_start,
	.goes_on = run_once_goes_on,
	.before_drain = drain_workload,
	.after_drain = resume_workload,
	.stop = run_once_stop,
	.finish = run_once_finish,
};

/* What to do if the server or all clients have left. */
static const char *run_once_remedy_of(const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->client_cnt; i++) {
		const struct client_summary *client = &summary->client[i];

		if (client->left && client->left_reason == LEFT_SEND_FAILED &&
		    client->left_detail == EAGAIN)
			return "make the queue longer, or use a longer --period";
	}
	return "see the kernel log, which names what ran out of memory, and run it again";
}

/* Whether the server, or all clients, exited before the end of the run (logged). */
static bool has_ended_early(const struct run *run)
{
	const struct summary *summary = analysis__summary(run->session.collector.analysis);
	const struct workload_spec *spec = run_once_spec_of(run);
	const struct run_ending ending = run_ending_of(summary);
	struct paragraph left = {0};

	if (workload__failed(run->workload))
		return true;
	if (ending.by != END_SERVER && ending.by != END_CLIENTS)
		return false;
	departure_words(&left, summary);
	log_error("the run ended early: %s over %s, %u client%s: after %llu of %llu %s %s: %s",
		  spec->pattern, spec->transport, spec->clients, plural(spec->clients),
		  (unsigned long long)ending.done, (unsigned long long)ending.planned, ending.unit,
		  left.text, run_once_remedy_of(summary));
	return true;
}

static int run_once_report(struct run *run)
{
	const struct run_setup *setup = run->setup;
	const struct summary *summary = analysis__summary(run->session.collector.analysis);

	if (has_ended_early(run))
		*setup->ended_early = true;
	if (setup->mean_ns)
		*setup->mean_ns = stat_mean(&summary->latency);
	return setup->output ? session_report(&run->session) : 0;
}

static void run_once_note_end(const struct run *run)
{
	const struct run_setup *setup = run->setup;

	if (!setup->end)
		return;
	*setup->end = session_end(&run->session);
	if (*setup->end == WATCH_STOPPED)
		*setup->stopped_by = *session_stopped_by(&run->session);
}

int run_once(const struct run_setup *setup)
{
	struct run run = {
		.session = {.ops = &run_ops,
			    .info = setup->info,
			    .output = setup->output,
			    .trace = setup->trace,
			    .slices = {.is_alone = is_alone,
				       .is_first = run_once_is_first,
				       .ctx = &run}},
		.setup = setup,
		.workload = workload__new(&setup->info->workload),
		.load_from = setup->load ? load__count(setup->load) : 0,
	};
	int err;

	if (!run.workload)
		return -errno;
	run.session.drain_interval_ns = ring_drain_interval_ns(
		run_once_spec_of(&run), workload__drain_interval_ns(run.workload));
	run.session.drain_interval_ns =
		session_drain_ns(setup->trace, run.session.drain_interval_ns);
	/* The journals of the workload are half full after an interval. */
	run.session.patience_ns = run.session.drain_interval_ns / 2;
	err = session_run(&run.session);
	status_line_clear();
	interrupt_watch(NULL);
	if (!err)
		err = run_once_report(&run);
	run_once_note_end(&run);
	workload__free(run.workload);
	session_close(&run.session);
	return err;
}
