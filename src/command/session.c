/* SPDX-License-Identifier: BSD-2-Clause */
#include "command/session.h"

#include "command/collector.h"
#include "command/interrupt.h"
#include "command/output.h"
#include "command/progress.h"
#include "load/load.h"
#include "model/observer_effect.h"
#include "report/metrics.h"
#include "report/text/sections.h"
#include "transport/transports.h"
#include "util/clock.h"
#include "util/log.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For what a load says when it ends. */
#define LOAD_WHY_LEN 256

/* Kernel records of one message, on the safe side. */
#define BYTES_PER_MESSAGE 300

/* Exchanges without a period follow each other hardly faster than this. */
#define FASTEST_NS 1000

/*
 * The ring buffer holds this many times what gathers between two drains: a drain may be late, and
 * other tasks make records too: a traced thread that waits behind two that do nothing but wake each
 * other gets a record for each of their switches. Within bounds: large rings cost memory.
 */
#define RING_RESERVE  8
#define RING_SIZE_MIN (8u << 20)
#define RING_SIZE_MAX (16u << 20)

/* What goes on without a pause may have to wait for a program that shares its CPU. */
#define RING_SIZE_FAST (64u << 20)

/* One cell while it runs. */
struct cell {
	const struct run_info *info;
	struct workload *workload;
	struct collector feed; /* its trace is NULL with --no-trace */
	struct output *output; /* NULL: nothing is shown */
	struct load *load;     /* NULL: none */
	uint64_t load_from;    /* its count when the workload began */
	bool load_ended;       /* by itself, and it was said why */

	/* The cost of tracing, measured in the warm-up. */
	bool wants_cost; /* it takes time itself: only if asked for */
	bool measuring;
	uint64_t measure_from; /* round */
	uint64_t bpf_ns;
	uint64_t bpf_messages;
};

static int drain(struct cell *cell)
{
	int err;

	collector_begin(&cell->feed);
	err = workload__drain(cell->workload, collector_put, &cell->feed);
	if (err >= 0)
		err = collector_end(&cell->feed);
	return err || !cell->output ? err : output_flush(cell->output);
}

static int put_load(struct cell *cell)
{
	struct record_load load = {
		.head = {.type = RECORD_LOAD, .words = RECORD_WORDS(load)},
		.ended = cell->load_ended,
	};

	if (!cell->load)
		return 0;
	load.count = load__count(cell->load) - cell->load_from;
	return collector_put(&cell->feed, &load.head);
}

/* Nothing if the run went on to its end. */
static int put_stop(struct cell *cell)
{
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
		.client = LEFT_ALL,
		.reason = LEFT_SIGNAL,
		.round = true,
		.detail = (uint64_t)interrupt_signal(),
	};

	return interrupt_happened() ? collector_put(&cell->feed, &left.head) : 0;
}

static int finish_records(struct cell *cell)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};
	int err;

	if (cell->feed.trace)
		tracer__detach(cell->feed.trace);
	err = drain(cell);
	if (!err)
		err = put_load(cell);
	if (!err)
		err = put_stop(cell);
	if (err)
		return err;
	if (cell->feed.trace) {
		err = tracer__losses(cell->feed.trace, end.loss);
		end.bpf_ns = cell->bpf_ns;
		end.bpf_messages = cell->bpf_messages;
	}
	end.loss[LOSS_STAMPS] = workload__lost(cell->workload);
	return err ? err : collector_put(&cell->feed, &end.head);
}

/* Time from one turn of the workload to the next, at the least. */
static uint64_t step_ns(const struct workload_spec *spec)
{
	return spec->period_ns ? spec->period_ns : FASTEST_NS;
}

/* On a tick all clients are served; without one, they take turns at the server. */
static uint64_t bytes_in(const struct workload_spec *spec, uint64_t ns)
{
	uint64_t messages = spec->period_ns ? spec->clients : 1;

	return BYTES_PER_MESSAGE * messages * (ns / step_ns(spec) + 1);
}

static size_t ring_size(const struct cell *cell)
{
	uint64_t wanted = RING_RESERVE * bytes_in(&cell->info->workload,
						  workload__drain_interval_ns(cell->workload));

	if (!cell->info->workload.period_ns)
		return RING_SIZE_FAST;
	return wanted < RING_SIZE_MIN   ? RING_SIZE_MIN
	       : wanted > RING_SIZE_MAX ? RING_SIZE_MAX
					: wanted;
}

/* As long as the workload's own logs allow and a part of the largest ring holds it all. */
static uint64_t drain_interval_ns(const struct cell *cell)
{
	const struct workload_spec *spec = &cell->info->workload;
	uint64_t interval_ns = workload__drain_interval_ns(cell->workload);
	uint64_t ring_ns = RING_SIZE_MAX / RING_RESERVE / bytes_in(spec, 0) * step_ns(spec);

	return ring_ns < interval_ns ? ring_ns : interval_ns;
}

/* The kernel's own clock reads around every program cost time: only in the warm-up. */
static void measure_cost(struct cell *cell)
{
	uint64_t warmup = cell->info->workload.warmup;
	uint64_t rounds = workload__rounds(cell->workload);

	if (!cell->wants_cost || !cell->feed.trace || cell->bpf_messages ||
	    !cell->info->workload.period_ns)
		return;
	if (!cell->measuring && rounds && rounds < warmup / 2) {
		cell->measuring = !tracer__cost_begin(cell->feed.trace);
		cell->measure_from = rounds;
	} else if (cell->measuring && rounds >= warmup / 2) {
		cell->measuring = false;
		if (!tracer__cost_end(cell->feed.trace, &cell->bpf_ns))
			cell->bpf_messages = (rounds - cell->measure_from) *
					     workload__messages_per_round(cell->workload);
	}
}

/* While the warm-up is measured the loop turns faster, so that the measure ends in it. */
static uint64_t pause_ns(const struct cell *cell, uint64_t interval_ns)
{
	const struct workload_spec *spec = &cell->info->workload;
	uint64_t part_ns = spec->warmup * step_ns(spec) / 8;

	if (!cell->feed.trace || workload__rounds(cell->workload) >= spec->warmup || !part_ns)
		return interval_ns;
	return part_ns < interval_ns ? part_ns : interval_ns;
}

/* The run goes on without it: the report says so. */
static void watch_load(struct cell *cell)
{
	char why[LOAD_WHY_LEN];

	if (!cell->load || cell->load_ended || load__alive(cell->load, why, sizeof(why)))
		return;
	cell->load_ended = true;
	log_warning("%s; the rest of this run is without it", why);
}

static int watch(struct cell *cell, struct progress *progress)
{
	const struct workload_spec *spec = &cell->info->workload;
	uint64_t longest_ns = drain_interval_ns(cell), next_ns = 0;
	int err = 0;

	while (!err && workload__running(cell->workload) && !interrupt_is_second()) {
		uint64_t interval_ns = collector_pause_ns(&cell->feed, longest_ns);

		measure_cost(cell);
		interrupt_sleep(pause_ns(cell, interval_ns));
		if (clock_now_ns() < next_ns)
			continue;
		next_ns = clock_now_ns() + interval_ns / 2;
		err = drain(cell);
		watch_load(cell);
		progress_show(progress, clock_now_ns(), workload__rounds(cell->workload),
			      spec->warmup + spec->messages);
	}
	progress_end(progress);
	return err;
}

static int start(struct cell *cell)
{
	int err = workload__spawn(cell->workload);
	pid_t pid;

	for (unsigned int i = 0;
	     !err && cell->feed.trace && (pid = workload__pid(cell->workload, i)); i++)
		err = tracer__add_process(cell->feed.trace, pid);
	if (!err && cell->feed.trace)
		err = tracer__attach(cell->feed.trace);
	return err ? err : workload__start(cell->workload);
}

/* A run that has lost its server, or all clients, is no success. True: it was, and it was said. */
static bool has_broken_off(const struct cell *cell)
{
	const struct summary *summary = analysis__summary(cell->feed.analysis);
	const struct workload_spec *spec = &cell->info->workload;
	const struct run_ending ending = run_ending_of(summary);
	struct paragraph left = {0};

	if (workload__failed(cell->workload))
		return true;
	if (ending.by != END_SERVER && ending.by != END_CLIENTS)
		return false;
	departure_words(&left, summary);
	log_error("the run ended early: %s over %s, %u client%s: after %llu of %llu %s %s: see "
		  "what ended it (the kernel log names what ran out of memory), and run it again",
		  spec->pattern, spec->transport, spec->clients, plural(spec->clients),
		  (unsigned long long)ending.done, (unsigned long long)ending.planned, ending.unit,
		  left.text);
	return true;
}

static int run_prepared(struct cell *cell, const struct session *session)
{
	int err = start(cell);

	log_info("%s %u clients%s", err ? "could not start" : "running",
		 cell->info->workload.clients, cell->feed.trace ? ", traced" : "");
	interrupt_watch(cell->workload);
	if (!err)
		err = watch(cell, session->progress);
	if (!err && !interrupt_is_second())
		err = finish_records(cell);
	interrupt_watch(NULL);
	if (err || interrupt_is_second())
		return err;
	err = analysis__finish(cell->feed.analysis);
	if (!err)
		collector_keep_summary(&cell->feed);
	if (!err && has_broken_off(cell))
		*session->broke_off = true;
	if (session->mean_ns)
		*session->mean_ns = stat_mean(&analysis__summary(cell->feed.analysis)->latency);
	if (err || !session->output)
		return err;
	return output_result(session->output, analysis__summary(cell->feed.analysis));
}

static int open_trace(struct cell *cell, const struct session *session)
{
	struct run_info *info = session->info;
	const struct transport_ops *transport = transport_find(info->workload.transport);
	struct tracer_spec spec = {
		.transports = 1u << transport->id,
		.from_workload = transport->notes_handover,
		.light = info->level == LEVEL_LIGHT,
		.ticks = spec_has_rounds(&info->workload),
		.short_lived = spec_has_connections(&info->workload),
		.ring_size = ring_size(cell),
		.types = session->types,
	};

	cell->feed.trace = tracer__new(&spec);
	if (!cell->feed.trace)
		return -errno;
	info->shows_switch = tracer__shows_switch(cell->feed.trace);
	return 0;
}

static int put_effect(struct cell *cell, const struct observer_effect *effect)
{
	struct record_effect record;

	if (!effect || !effect->pairs)
		return 0;
	record = observer_effect_record(effect);
	return collector_put(&cell->feed, &record.head);
}

static int run_cell(struct cell *cell, const struct session *session)
{
	struct run_info *info = session->info;
	int err = info->traced ? open_trace(cell, session) : 0;

	if (!err && cell->feed.recording)
		err = recording__begin_run(cell->feed.recording, info) ? -EIO : 0;
	if (!err && session->output)
		err = output_run(session->output, info);
	if (err)
		return err;
	cell->feed.analysis = session->output ? output_analysis(session->output, info)
					      : analysis__new(info, NULL, NULL);
	if (!cell->feed.analysis)
		return -ENOMEM;
	err = put_effect(cell, session->effect);
	return err ? err : run_prepared(cell, session);
}

int session_run(const struct session *session)
{
	struct cell cell = {
		.info = session->info,
		.workload = workload__new(&session->info->workload),
		.feed = {.recording = session->recording,
			 .keeps_slow = session->recording && session->info->keeps_slower_ns},
		.output = session->output,
		.load = session->load,
		.wants_cost = session->effect,
		.load_from = session->load ? load__count(session->load) : 0,
	};
	int err;

	if (!cell.workload)
		return -errno;
	err = run_cell(&cell, session);
	analysis__free(cell.feed.analysis);
	workload__free(cell.workload);
	tracer__free(cell.feed.trace);
	return !err && cell.feed.recording_failed ? -EIO : err;
}
