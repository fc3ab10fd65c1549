/* SPDX-License-Identifier: BSD-2-Clause */
#include "command/run.h"

#include "cli/experiment.h"
#include "cli/run_matrix.h"
#include "command/host.h"
#include "command/interrupt.h"
#include "command/output.h"
#include "command/overhead.h"
#include "command/progress.h"
#include "command/session.h"
#include "load/kinds.h"
#include "load/load.h"
#include "recording/recording.h"
#include "transport/transports.h"
#include "util/atomic_file.h"
#include "util/caller.h"
#include "util/clock.h"
#include "util/failure.h"
#include "util/log.h"
#include "util/pid_namespace.h"
#include "util/version.h"
#include "workload/make_plan.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHY_LEN 256

struct sweep {
	const struct run_options *options;
	const struct workload_spec **cell; /* those that can be run */
	size_t cnt;
	struct run_info info;
	struct output output;
	struct recording_writer *recording; /* NULL: none */
	struct progress progress;
	size_t begun;      /* cells */
	bool broke_off;    /* one of them, before its time */
	struct load *load; /* NULL: none */
	char load_text[SPEC_TEXT_LEN];
};

/* What of the spec this machine cannot do, in `why`. */
static bool is_refused(const struct workload_spec *spec, char *why)
{
	const struct transport_ops *transport = transport_find(spec->transport);
	const char *reason = transport && transport->refuse ? transport->refuse(spec) : NULL;

	if (reason)
		snprintf(why, WHY_LEN, "%s: %s", spec->transport, reason);
	return reason || (spec->load[0] && load_refuse(spec->load, why, WHY_LEN));
}

/* An experiment's cells that this machine cannot run are left out, which is said once in a row. */
static bool leave_out(const struct sweep *sweep, const struct workload_spec *spec, char *said)
{
	char why[WHY_LEN];

	if (!sweep->options->experiment || !is_refused(spec, why))
		return false;
	if (strcmp(said, why))
		log_warning("experiment %s: left out: %s", sweep->options->experiment->name, why);
	snprintf(said, WHY_LEN, "%s", why);
	return true;
}

/* Before anything runs: a mistake is not found after an hour. */
static int check_cell(const struct workload_spec *spec)
{
	char why[WHY_LEN];
	struct plan plan;

	if (spec->run > 1)
		return 0;
	if (spec->load[0] && load_refuse(spec->load, why, sizeof(why))) {
		log_error("%s", why);
		return -EINVAL;
	}
	return plan_make(&plan, spec);
}

static int choose_cells(struct sweep *sweep)
{
	const struct run_matrix *cells = &sweep->options->cells;
	char said[WHY_LEN] = "";
	int err = 0;

	sweep->cell = calloc(cells->cnt, sizeof(*sweep->cell));
	if (!sweep->cell)
		return -ENOMEM;
	for (size_t i = 0; !err && i < cells->cnt; i++) {
		if (leave_out(sweep, &cells->spec[i], said))
			continue;
		sweep->cell[sweep->cnt++] = &cells->spec[i];
		err = check_cell(&cells->spec[i]);
	}
	if (!err && !sweep->cnt) {
		log_error("experiment %s: nothing of it can be run on this machine",
			  sweep->options->experiment->name);
		err = -EINVAL;
	}
	return err;
}

/*
 * Loads run as the user that called sudo, like the workload. Their processes are watched in /proc,
 * and ended by the numbers that it shows.
 */
static int start_load(struct sweep *sweep, const char *text)
{
	const struct caller *caller = caller_find();
	char why[WHY_LEN];
	int err = caller ? pid_namespace_check("cannot start a load") : -EINVAL;

	if (err)
		return err;
	sweep->load = load__start(text, caller, why, sizeof(why));
	if (!sweep->load) {
		err = errno ? -errno : -EIO;
		log_error("%s", why);
		return err;
	}
	snprintf(sweep->load_text, sizeof(sweep->load_text), "%s", text);
	log_info("load %s is at work", text);
	return 0;
}

static void stop_load(struct sweep *sweep)
{
	load__stop(sweep->load);
	sweep->load = NULL;
}

/* Cells that follow each other share a load, unless it has ended. */
static int change_load(struct sweep *sweep, const char *text)
{
	char why[WHY_LEN];

	if (sweep->load && !strcmp(sweep->load_text, text) &&
	    load__alive(sweep->load, why, sizeof(why)))
		return 0;
	stop_load(sweep);
	return text[0] ? start_load(sweep, text) : 0;
}

/* Whoever interrupts us gets a report all the same: of the first cell, as far as it has come. */
static bool is_over(const struct sweep *sweep)
{
	return interrupt_is_second() || (sweep->begun && interrupt_happened());
}

static int run_cell(struct sweep *sweep, const struct workload_spec *spec)
{
	struct session session = {
		.info = &sweep->info,
		.output = &sweep->output,
		.recording = sweep->recording,
		.progress = &sweep->progress,
		.types = sweep->options->btf,
		.broke_off = &sweep->broke_off,
	};
	struct observer_effect effect;
	int err = change_load(sweep, spec->load);

	/* A load may take its time to start. */
	if (err || is_over(sweep))
		return err;
	session.load = sweep->load;
	sweep->info.workload = *spec;
	if (sweep->options->overhead) {
		err = overhead_measure(&session, &effect);
		session.effect = &effect;
	}
	if (err || is_over(sweep))
		return err;
	sweep->begun++;
	progress_run(&sweep->progress, cell_work(spec));
	return session_run(&session);
}

static int run_cells(struct sweep *sweep)
{
	double work = 0;
	size_t i;
	int err = 0;

	for (i = 0; i < sweep->cnt; i++)
		work += cell_work(sweep->cell[i]);
	workload_tidy();
	progress_begin(&sweep->progress, clock_now_ns(), sweep->cnt, work);
	for (i = 0; !err && i < sweep->cnt && !is_over(sweep); i++)
		err = run_cell(sweep, sweep->cell[i]);
	stop_load(sweep);
	if (!err && i < sweep->cnt)
		log_info("interrupted: %zu of %zu runs were begun", i, sweep->cnt);
	return err;
}

static int run_all(struct sweep *sweep)
{
	const struct run_options *options = sweep->options;
	int err;

	if (options->record) {
		sweep->recording = recording__create(options->record);
		if (!sweep->recording)
			return -EIO;
	}
	err = output_open(&sweep->output, &options->output, sweep->cnt > 1 || options->experiment);
	if (sweep->info.keeps_slower_ns)
		sweep->output.kept_in = sweep->recording;
	if (!err)
		err = run_cells(sweep);
	/* All is restored; what is left to write may block again. */
	if (interrupt_is_second()) {
		atomic_file_remove_all();
		_exit(EXIT_FAILURE);
	}
	if (output_close(&sweep->output) && !err)
		err = -EIO;
	if (recording__close(sweep->recording) && !err)
		err = -EIO;
	return !err && sweep->broke_off ? -EIO : err;
}

static void describe(struct sweep *sweep, char **argv)
{
	const struct run_options *options = sweep->options;

	sweep->info = (struct run_info){
		.version = IPCTRACE_VERSION, .level = options->level, .traced = !options->no_trace};
	if (options->record && !options->no_trace)
		sweep->info.keeps_slower_ns = options->output.slower_than_ns;
	host_describe(&sweep->info.host);
	host_describe_command(argv, sweep->info.command_line, sizeof(sweep->info.command_line));
	if (options->experiment)
		snprintf(sweep->info.experiment, sizeof(sweep->info.experiment), "%s",
			 options->experiment->name);
}

int run_command(const struct run_options *options, char **argv)
{
	struct sweep sweep = {.options = options};
	int err = output_check(options->output.format, !options->no_trace), status;

	describe(&sweep, argv);
	interrupt_setup();
	if (!err)
		err = choose_cells(&sweep);
	/* What goes wrong later is no mistake on the command line. */
	if (err)
		status = err == -EINVAL ? EXIT_USAGE : failure_status("run", err);
	else
		status = failure_status("run", run_all(&sweep));
	free(sweep.cell);
	return status;
}
