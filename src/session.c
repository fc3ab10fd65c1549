/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include "host.h"
#include "interrupt.h"
#include "log.h"
#include "output.h"
#include "progress.h"
#include "recording.h"
#include "trace.h"
#include "version.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXIT_USAGE 2

/* Kernel records of one message, on the safe side. */
#define BYTES_PER_MESSAGE 300

/*
 * The ring buffer holds this many times what gathers between two drains: a drain may be late, and
 * other tasks make records too. Within bounds: small rings stay in the caches, large ones cost
 * memory.
 */
#define RING_RESERVE  8
#define RING_SIZE_MIN (1u << 20)
#define RING_SIZE_MAX (16u << 20)

/* One cell while it runs. */
struct cell {
	const struct run_info *info;
	unsigned int number; /* from 1 */
	unsigned int of;
	struct workload *workload;
	struct trace *trace; /* NULL: --no-trace */
	struct analysis *analysis;
	struct recording_writer *recording; /* NULL: none */
	bool recording_failed;
	uint64_t drained_ns; /* the last drain began */

	/* The cost of tracing, measured in the warm-up. */
	bool measuring;
	uint64_t measure_from; /* round */
	uint64_t bpf_ns;
	uint64_t bpf_messages;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Every record goes this way: verbatim into the recording, and into the analysis. */
static int put(void *ctx, const struct record *record)
{
	struct cell *cell = ctx;

	if (cell->recording && recording__write(cell->recording, record))
		cell->recording_failed = true;
	return analysis__record(cell->analysis, record);
}

/*
 *	       previous drain          this drain
 *	------------|-----------------------|------------> time
 *	  settled   |  may still be on its way to us
 *
 * A record reaches the ring buffer a moment after the instant that it is about; what happened
 * before the previous drain began has arrived by now.
 */
static int drain(struct cell *cell)
{
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = cell->drained_ns,
	};
	int err;

	if (cell->trace)
		watermark.before_ns = trace__settled_ns(cell->trace, watermark.before_ns);
	cell->drained_ns = now_ns();
	err = workload__drain(cell->workload, put, cell);
	if (!err && cell->trace)
		err = trace__drain(cell->trace, put, cell);
	return err < 0 ? err : put(cell, &watermark.head);
}

static int finish_records(struct cell *cell)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};
	int err;

	if (cell->trace)
		trace__detach(cell->trace);
	err = drain(cell);
	if (err)
		return err;
	if (cell->trace) {
		err = trace__losses(cell->trace, end.loss);
		end.bpf_ns = cell->bpf_ns;
		end.bpf_messages = cell->bpf_messages;
	}
	end.loss[LOSS_STAMPS] = workload__lost(cell->workload);
	return err ? err : put(cell, &end.head);
}

static uint64_t bytes_in(const struct workload_spec *spec, uint64_t ns)
{
	return BYTES_PER_MESSAGE * spec->clients * (ns / spec->period_ns + 1);
}

static size_t ring_size(const struct cell *cell)
{
	uint64_t wanted = RING_RESERVE * bytes_in(&cell->info->workload,
						  workload__drain_interval_ns(cell->workload));

	return wanted < RING_SIZE_MIN   ? RING_SIZE_MIN
	       : wanted > RING_SIZE_MAX ? RING_SIZE_MAX
					: wanted;
}

/* As long as the workload's own logs allow and a part of the largest ring holds it all. */
static uint64_t drain_interval_ns(const struct cell *cell)
{
	const struct workload_spec *spec = &cell->info->workload;
	uint64_t interval_ns = workload__drain_interval_ns(cell->workload);
	uint64_t ring_ns = RING_SIZE_MAX / RING_RESERVE / bytes_in(spec, 0) * spec->period_ns;

	return ring_ns < interval_ns ? ring_ns : interval_ns;
}

/* The kernel's own clock reads around every program cost time: only in the warm-up. */
static void measure_cost(struct cell *cell)
{
	uint64_t warmup = cell->info->workload.warmup;
	uint64_t rounds = workload__rounds(cell->workload);

	if (!cell->trace || cell->bpf_messages)
		return;
	if (!cell->measuring && rounds && rounds < warmup / 2) {
		cell->measuring = !trace__cost_begin(cell->trace);
		cell->measure_from = rounds;
	} else if (cell->measuring && rounds >= warmup / 2) {
		cell->measuring = false;
		if (!trace__cost_end(cell->trace, &cell->bpf_ns))
			cell->bpf_messages =
				(rounds - cell->measure_from) * cell->info->workload.clients;
	}
}

/* While the warm-up is measured the loop turns faster, so that the measure ends in it. */
static uint64_t pause_ns(const struct cell *cell, uint64_t interval_ns)
{
	const struct workload_spec *spec = &cell->info->workload;
	uint64_t step_ns = spec->warmup * spec->period_ns / 8;

	if (!cell->trace || workload__rounds(cell->workload) >= spec->warmup || !step_ns)
		return interval_ns;
	return step_ns < interval_ns ? step_ns : interval_ns;
}

static int watch(struct cell *cell)
{
	const struct workload_spec *spec = &cell->info->workload;
	uint64_t interval_ns = drain_interval_ns(cell), next_ns = 0;
	struct progress progress;
	int err = 0;

	progress_begin(&progress, now_ns());
	while (!err && workload__running(cell->workload) && !interrupt_is_second()) {
		measure_cost(cell);
		interrupt_sleep(pause_ns(cell, interval_ns));
		if (now_ns() < next_ns)
			continue;
		next_ns = now_ns() + interval_ns / 2;
		err = drain(cell);
		progress_show(&progress, now_ns(), workload__rounds(cell->workload),
			      spec->warmup + spec->messages, cell->number, cell->of);
	}
	progress_end(&progress);
	return err;
}

static int start(struct cell *cell)
{
	int err = workload__spawn(cell->workload);
	pid_t pid;

	for (unsigned int i = 0; !err && cell->trace && (pid = workload__pid(cell->workload, i));
	     i++)
		err = trace__add_process(cell->trace, pid);
	if (!err && cell->trace)
		err = trace__attach(cell->trace);
	return err ? err : workload__start(cell->workload);
}

static int run_prepared(struct cell *cell, struct output *output)
{
	int err = start(cell);

	log_info("%s %u clients%s", err ? "could not start" : "running",
		 cell->info->workload.clients, cell->trace ? ", traced" : "");
	interrupt_watch(cell->workload);
	if (!err)
		err = watch(cell);
	if (!err && !interrupt_is_second())
		err = finish_records(cell);
	interrupt_watch(NULL);
	if (err || interrupt_is_second())
		return err;
	err = analysis__finish(cell->analysis);
	return err ? err : output_result(output, analysis__summary(cell->analysis));
}

/* 0 or -errno; -EINVAL: cannot be run as asked. */
static int run_cell(struct cell *cell, struct run_info *info, bool traced, struct output *output)
{
	int err;

	cell->info = info;
	cell->workload = workload__new(&info->workload);
	if (!cell->workload)
		return -errno;
	if (traced) {
		cell->trace = trace__new(ring_size(cell));
		err = cell->trace ? 0 : -errno;
		info->shows_switch = !err && trace__shows_switch(cell->trace);
	} else {
		err = 0;
	}
	if (!err && cell->recording)
		err = recording__cell(cell->recording, info) ? -EINVAL : 0;
	if (!err)
		err = output_cell(output, info);
	cell->analysis = err ? NULL : output_analysis(output, info);
	if (!err)
		err = cell->analysis ? run_prepared(cell, output) : -ENOMEM;
	analysis__free(cell->analysis);
	workload__free(cell->workload);
	trace__free(cell->trace);
	return err;
}

static void join_words(char **argv, char *text, size_t size)
{
	size_t used = 0;

	for (text[0] = '\0'; *argv && used < size; argv++)
		used += snprintf(text + used, size - used, "%s%s", used ? " " : "", *argv);
}

static int run_cells(const struct run_options *options, struct run_info *info,
		     struct output *output, struct recording_writer *recording)
{
	int err = 0;

	for (size_t i = 0; !err && i < options->client_cnt && !interrupt_happened(); i++) {
		struct cell cell = {
			.number = i + 1, .of = options->client_cnt, .recording = recording};

		info->workload.clients = options->clients[i];
		err = run_cell(&cell, info, !options->no_trace, output);
		if (!err && cell.recording_failed)
			err = -EIO;
	}
	return err;
}

static int exit_status(int err)
{
	return !err ? EXIT_SUCCESS : err == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

int session_run(const struct run_options *options, char **argv)
{
	struct run_info info = {.version = IPCTRACE_VERSION, .traced = !options->no_trace};
	struct recording_writer *recording = NULL;
	struct output output;
	int err;

	host_describe(&info.host);
	join_words(argv, info.command_line, sizeof(info.command_line));
	info.workload = options->spec;
	interrupt_setup();
	if (options->record) {
		recording = recording__create(options->record);
		if (!recording)
			return EXIT_USAGE;
	}
	err = output_open(&output, &options->output, options->client_cnt > 1);
	if (!err)
		err = run_cells(options, &info, &output, recording);
	/* All is restored; what is left to write may block again. */
	if (interrupt_is_second())
		_exit(EXIT_FAILURE);
	if (output_close(&output) && !err)
		err = -EIO;
	if (recording__close(recording) && !err)
		err = -EIO;
	return exit_status(err);
}
