/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements `ipctrace run`. Chooses the runs that this machine can make. run_once.c makes each
 * run.
 */
#include "cli/experiment.h"
#include "cli/options.h"
#include "cli/run_matrix.h"
#include "command/commands.h"
#include "command/host.h"
#include "command/live/after_run.h"
#include "command/live/interrupt.h"
#include "command/live/run_once.h"
#include "command/output.h"
#include "command/progress.h"
#include "load/kind.h"
#include "load/load.h"
#include "model/observer_effect.h"
#include "model/spec.h"
#include "transport/transport.h"
#include "util/atomic_file.h"
#include "util/caller.h"
#include "util/clock.h"
#include "util/failure.h"
#include "util/log.h"
#include "util/pid_namespace.h"
#include "workload/plan.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run_setup;

/*
 * Measures how much tracing slows a workload down, for --overhead. Makes pairs of short runs. One
 * run of each pair is traced.
 */

#define PAIRS 10

/*
 * Long enough for a mean, and short enough that a drift of the machine affects both runs of a pair.
 */
#define STRETCH_NS       500000000ULL
#define STRETCH_ROUNDS   10    /* at least */
#define STRETCH_MESSAGES 20000 /* without a period */
#define WARMUP_PART      10    /* the warm-up is 1/10 of a stretch */

static uint64_t messages_of(const struct workload_spec *spec)
{
	uint64_t rounds;

	if (!spec->period_ns)
		return spec->messages < STRETCH_MESSAGES ? spec->messages : STRETCH_MESSAGES;
	rounds = STRETCH_NS / spec->period_ns;
	return rounds > STRETCH_ROUNDS ? rounds : STRETCH_ROUNDS;
}

/* The mean latency of one short run, from the clock readings of the receivers. */
static int run_measure(const struct run_setup *setup, bool traced, double *mean_ns)
{
	struct run_info info = *setup->info;
	const struct trace_options trace = {.reader = setup->trace->reader};
	struct run_setup stretch = {
		.info = &info,
		.load = setup->load,
		.progress = setup->progress,
		.trace = &trace,
		.types = setup->types,
		.mean_ns = mean_ns,
		.ended_early = setup->ended_early,
	};

	info.traced = traced;
	info.workload.messages = messages_of(&info.workload);
	info.workload.warmup = info.workload.messages / WARMUP_PART;
	return run_once(&stretch);
}

/*
 * Makes short runs like `setup`, alternately traced and untraced, and compares their latencies. The
 * runs are not reported. 0 or -errno (logged). After an interrupt `effect` has no measurement.
 */
static int overhead_measure(const struct run_setup *setup, struct observer_effect *effect)
{
	double ratio[PAIRS], mean_ns[2];
	size_t cnt = 0;
	int err = 0;

	log_notice(
		"measuring the observer effect first: %d pairs of short runs, traced and untraced",
		PAIRS);
	*effect = (struct observer_effect){0};
	for (int pair = 0; !err && pair < PAIRS && !interrupt_happened(); pair++) {
		/* Each pair begins with the other kind. */
		for (int i = 0; !err && i < 2; i++) {
			bool traced = (pair + i) % 2;

			err = run_measure(setup, traced, &mean_ns[traced]);
		}
		if (!err && mean_ns[0] > 0 && mean_ns[1] > 0)
			ratio[cnt++] = mean_ns[1] / mean_ns[0];
	}
	if (!err && !interrupt_happened())
		*effect = observer_effect_of(ratio, cnt);
	return err;
}

struct series {
	const struct run_options *options;
	const struct workload_spec **run; /* those that this machine can run */
	size_t cnt;
	struct run_info info;
	struct output output;
	struct after_run after;
	struct occasion stopped_by; /* end is WATCH_STOPPED */
	struct progress progress;
	size_t begun;       /* number of runs */
	enum watch_end end; /* the condition that has ended the last one */
	bool ended_early;   /* at least one run */
	struct load *load;  /* NULL: none */
	char load_text[SPEC_TEXT_LEN];
};

/* Whether this machine cannot run the spec; `why` has the reason. */
static bool is_refused(const struct workload_spec *spec, char *why)
{
	const struct transport_ops *transport = transport_find(spec->transport);
	const char *reason = transport && transport->refuse ? transport->refuse(spec) : NULL;

	if (reason)
		snprintf(why, LOAD_WHY_LEN, "%s: %s", spec->transport, reason);
	return reason || (spec->load[0] && load_refuse(spec->load, why));
}

/*
 * Leaves out the runs of an experiment that this machine cannot run. Logs each reason once in a
 * row.
 */
static bool run_leave_out(const struct series *series, const struct workload_spec *spec, char *said)
{
	char why[LOAD_WHY_LEN];

	if (!series->options->experiment || !is_refused(spec, why))
		return false;
	if (strcmp(said, why))
		log_warning("experiment %s: the report lacks a part: %s",
			    series->options->experiment->name, why);
	snprintf(said, LOAD_WHY_LEN, "%s", why);
	return true;
}

/* Checks everything before the first run, so that an error does not come after an hour. */
static int check_run(const struct workload_spec *spec)
{
	char why[LOAD_WHY_LEN];
	struct plan plan;

	if (spec->run > 1)
		return 0;
	if (spec->load[0] && load_refuse(spec->load, why)) {
		log_error("%s", why);
		return -EINVAL;
	}
	return plan_make(&plan, spec);
}

static int choose_runs(struct series *series)
{
	const struct run_matrix *matrix = &series->options->matrix;
	char said[LOAD_WHY_LEN] = "";
	int err = 0;

	series->run = calloc(matrix->cnt, sizeof(*series->run));
	if (!series->run)
		return -ENOMEM;
	for (size_t i = 0; !err && i < matrix->cnt; i++) {
		if (run_leave_out(series, &matrix->spec[i], said))
			continue;
		series->run[series->cnt++] = &matrix->spec[i];
		err = check_run(&matrix->spec[i]);
	}
	if (!err && !series->cnt) {
		log_error("cannot run the experiment: %s: this machine can run no part of it: see "
			  "the "
			  "warnings above",
			  series->options->experiment->name);
		err = -EINVAL;
	}
	return err;
}

/*
 * Loads run as the user that called sudo, like the workload. The program finds their processes in
 * /proc, and ends them by the pids that it finds there.
 */
static int start_load(struct series *series, const char *text)
{
	const struct caller *caller = caller_find();
	char why[LOAD_WHY_LEN];
	int err = caller ? pid_namespace_check("cannot start a load") : -EINVAL;

	if (err)
		return err;
	series->load = load__start(text, caller, why);
	if (!series->load) {
		err = errno ? -errno : -EIO;
		log_error("%s", why);
		return err;
	}
	snprintf(series->load_text, sizeof(series->load_text), "%s", text);
	log_info("the load works: '%s'", text);
	return 0;
}

/* Consecutive runs share a load, unless the load has ended. */
static int change_load(struct series *series, const char *text)
{
	char why[LOAD_WHY_LEN];

	if (series->load && !strcmp(series->load_text, text) && load__alive(series->load, why))
		return 0;
	load__stop(series->load);
	series->load = NULL;
	return text[0] ? start_load(series, text) : 0;
}

/* After the first interrupt, the report still shows the first run as far as it came. */
static bool run_is_over(const struct series *series)
{
	return interrupt_is_second() || (series->begun && (interrupt_happened() || series->end));
}

static int run_one(struct series *series, const struct workload_spec *spec)
{
	struct run_setup setup = {
		.info = &series->info,
		.output = &series->output,
		.progress = &series->progress,
		.trace = &series->options->trace,
		.end = &series->end,
		.stopped_by = &series->stopped_by,
		.types = series->options->btf,
		.ended_early = &series->ended_early,
	};
	struct observer_effect effect;
	int err = change_load(series, spec->load);

	/* An interrupt can come while the load starts. */
	if (err || run_is_over(series))
		return err;
	setup.load = series->load;
	series->info.workload = *spec;
	if (series->options->overhead) {
		err = overhead_measure(&setup, &effect);
		setup.effect = &effect;
	}
	if (err || run_is_over(series))
		return err;
	series->begun++;
	progress_run(&series->progress, run_work(spec));
	return run_once(&setup);
}

static int run_each(struct series *series)
{
	double work = 0;
	size_t i;
	int err = 0;

	for (i = 0; i < series->cnt; i++)
		work += run_work(series->run[i]);
	workload_tidy();
	progress_begin(&series->progress, clock_now_ns(), series->cnt, work);
	series->progress.is_wanted =
		progress_is_wanted(&series->output, &series->options->trace.watch);
	for (i = 0; !err && i < series->cnt && !run_is_over(series); i++)
		err = run_one(series, series->run[i]);
	load__stop(series->load);
	if (!err && i < series->cnt)
		log_info("interrupted: %zu of %zu runs were begun", i, series->cnt);
	return err;
}

static bool is_matrix(const struct series *series)
{
	return series->cnt > 1 || series->options->experiment;
}

/* A report that is made of the recording has the runs before the one that failed. */
static int show_what_is_recorded(struct series *series, int err)
{
	int show_err;

	if (interrupt_is_second() || (err && !series->output.waits))
		return err;
	show_err = after_run_show(&series->after,
				  series->end == WATCH_STOPPED ? &series->stopped_by : NULL,
				  &series->output, interrupt_is_second);
	return err ?: show_err;
}

static int run_all(struct series *series)
{
	const struct run_options *options = series->options;
	int err = output_open(&series->output, &options->output, options->trace.record,
			      is_matrix(series));

	if (!err)
		err = after_run_begin(&series->after, &options->trace, NULL, &series->output);
	if (!err)
		err = run_each(series);
	err = show_what_is_recorded(series, err);
	after_run_end(&series->after);
	/* Everything is restored. Writing the rest could block again. */
	if (interrupt_is_second()) {
		atomic_file_remove_all();
		_exit(EXIT_FAILURE);
	}
	if (output_close(&series->output) && !err)
		err = -EIO;
	return !err && series->ended_early ? -EIO : err;
}

static void run_describe(struct series *series, char **argv)
{
	const struct run_options *options = series->options;

	series->info =
		(struct run_info){.level = options->trace.level, .traced = !options->no_trace};
	if (!options->no_trace)
		output_describe(&series->info, &options->output, &options->trace);
	host_describe_run(&series->info, argv);
	if (options->experiment)
		snprintf(series->info.experiment, sizeof(series->info.experiment), "%s",
			 options->experiment->name);
}

int run_command(const struct run_options *options, char **argv)
{
	struct series series = {.options = options};
	int err = output_check(options->output.format, !options->no_trace), status;

	run_describe(&series, argv);
	interrupt_setup();
	if (!err)
		err = choose_runs(&series);
	if (!err)
		err = output_check_runs(options->output.format, is_matrix(&series),
					"measure one at a time");
	/* Later errors are not mistakes on the command line. */
	if (err)
		status = err == -EINVAL ? EXIT_USAGE : failure_status("run", err);
	else
		status = failure_status("run", run_all(&series));
	if (status == EXIT_SUCCESS && series.end == WATCH_STOPPED)
		status = EXIT_STOPPED;
	free(series.run);
	return status;
}
