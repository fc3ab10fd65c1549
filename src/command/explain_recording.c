/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains the runs of a recording. A run is analysed twice. The first pass finds out which units
 * are slow, and the second one what they consist of.
 */
#include "command/explain_recording.h"

#include "cli/selection.h"
#include "command/analyse.h"
#include "command/call_choice.h"
#include "command/output.h"
#include "explain/explain.h"
#include "explain/stacks.h"
#include "report/labels.h"
#include "report/metrics.h"
#include "util/log.h"

#include <errno.h>
#include <stdio.h>

/* Calls are what is explained if so many of the messages belong to them. */
#define CALLS_MATTER 0.2

/* One run of the recording. */
struct run_job {
	const struct explain_job *job;
	struct run_info info;
	int number; /* of the run, from 1 */
	struct explain *explain;
	struct analysis *analysis;         /* of the pass that is being made */
	const struct spans *causes_within; /* of that pass, see analysis__set_causes_within() */
};

static bool is_over(const struct run_job *run)
{
	return run->job->is_over && run->job->is_over();
}

static int on_rank(void *ctx, const struct unit *unit)
{
	struct run_job *run = ctx;

	return is_over(run) ? -EINTR : explain__rank(run->explain, unit);
}

static int on_add(void *ctx, const struct unit *unit)
{
	struct run_job *run = ctx;
	struct moment moment[EXPLAIN_MOMENTS_MAX];
	int typical = is_over(run) ? -EINTR : explain__add(run->explain, unit);
	uint32_t cnt;

	if (typical <= 0)
		return typical;
	cnt = analysis__moments(run->analysis, unit, moment, EXPLAIN_MOMENTS_MAX);
	return explain__typical(run->explain, moment, cnt);
}

static int on_add_other(void *ctx, const struct unit *unit)
{
	struct run_job *run = ctx;

	return is_over(run) ? -EINTR : explain__add_other(run->explain, unit);
}

/* The units of one run, in one pass over its records, at which the reader stands. */
static int make_pass(struct run_job *run, struct recording_reader *reader,
		     const struct run_info *info, enum unit_kind kind, bool has_causes,
		     unit_fn *on_unit)
{
	int err;

	run->analysis = analysis__new(info, NULL, NULL);
	if (!run->analysis)
		return -ENOMEM;
	analysis__leave_out_statistics(run->analysis);
	err = analysis__set_on_unit(run->analysis, kind, has_causes, on_unit, run);
	if (!err)
		analysis__set_causes_within(run->analysis, run->causes_within);
	if (!err)
		err = analyse_run(run->analysis, reader, run->job->no_limit, 0);
	return err;
}

static void end_pass(struct run_job *run)
{
	analysis__free(run->analysis);
	run->analysis = NULL;
}

/* Finds out which units of this kind are slow. */
static int rank(struct run_job *run, enum unit_kind kind)
{
	struct explain_choice choice = {.info = run->info,
					.kind = kind,
					.selection = run->job->select->selection,
					.against_file = run->job->select->against};
	struct recording_reader *reader;
	int err = select_client(run->job->select, &run->info, &choice.selection);

	if (err)
		return err;
	reader = analyse_again(run->job->path, run->number);
	if (!reader)
		return -errno;
	explain__free(run->explain);
	run->explain = explain__new(&choice);
	err = run->explain ? make_pass(run, reader, &run->info, kind, false, on_rank) : -ENOMEM;
	recording__free(reader);
	return err;
}

/* What an attach consists of, by the summary of the pass that has just been made. */
static enum unit_kind kind_of_attach(const struct summary *summary)
{
	double messages = (double)summary->calls.messages;

	if (summary->calls.count && messages >= CALLS_MATTER * (double)summary->integrity.matched)
		return UNIT_CALL;
	if (summary->rounds.complete && !rounds_are_marginal(summary))
		return UNIT_ROUND;
	return UNIT_MESSAGE;
}

/* The first guess: what the user says, or what follows from the pattern of a run. */
static enum unit_kind kind_of(const struct run_job *run)
{
	const struct select_options *select = run->job->select;

	if (select->has_unit)
		return select->unit;
	if (select->selection.has_message)
		return UNIT_MESSAGE;
	if (run->info.mode == MODE_ATTACH || spec_has_calls(&run->info.workload))
		return UNIT_CALL;
	return spec_has_rounds(&run->info.workload) ? UNIT_ROUND : UNIT_MESSAGE;
}

static bool is_fixed(const struct run_job *run)
{
	const struct select_options *select = run->job->select;

	return select->has_unit || select->selection.has_message || run->info.mode == MODE_RUN;
}

/* So many records mostly show what an attach consists of: of some 50,000 messages or more. */
#define RECORDS_SHOWING 500000

/* Guesses what an attach consists of, by its beginning. */
static int guess_kind(struct run_job *run, enum unit_kind *kind)
{
	struct recording_reader *reader = analyse_again(run->job->path, run->number);
	const struct summary *summary;
	int err = -ENOMEM;

	if (!reader)
		return -errno;
	run->analysis = analysis__new(&run->info, NULL, NULL);
	if (run->analysis) {
		analysis__leave_out_statistics(run->analysis);
		err = analyse_beginning(run->analysis, reader, run->job->no_limit,
					RECORDS_SHOWING);
	}
	summary = err ? NULL : analysis__summary(run->analysis);
	/* A recording of windows has its summary at the end. */
	if (summary && summary->integrity.matched)
		*kind = kind_of_attach(summary);
	end_pass(run);
	recording__free(reader);
	return err;
}

/* If most of an attach is different from its begin, it is analysed once more. */
static int rank_any(struct run_job *run, enum unit_kind *kind)
{
	enum unit_kind found;
	int err = 0;

	*kind = kind_of(run);
	if (!is_fixed(run))
		err = guess_kind(run, kind);
	if (err)
		return err;
	err = rank(run, *kind);
	found = err || is_fixed(run) ? *kind : kind_of_attach(analysis__summary(run->analysis));
	end_pass(run);
	if (err || found == *kind)
		return err;
	*kind = found;
	err = rank(run, found);
	end_pass(run);
	return err;
}

/* All runs of the recording of --against. */
static int add_others(struct run_job *run, enum unit_kind kind)
{
	const char *path = run->job->select->against;
	struct recording_reader *reader = recording__open(path);
	struct run_info info;
	int more, err = 0;

	if (!reader)
		return -errno;
	while (!err && (more = recording__next_run(reader, &info)) > 0) {
		call_choice_describe(&info, run->job->calls);
		err = make_pass(run, reader, &info, kind, true, on_add_other);
		end_pass(run);
	}
	recording__free(reader);
	return err ?: more;
}

static int refuse_message(const struct run_job *run, unsigned long long units)
{
	const struct selection *selection = &run->job->select->selection;

	log_error("--message: '%u/%llu': no such message among the %llu of '%s': -f ndjson shows "
		  "their numbers as channel and seq",
		  selection->message_channel, (unsigned long long)selection->message_position,
		  units, run->job->path);
	return -EINVAL;
}

/* Why there is no explanation. */
static int refuse_outcome(const struct run_job *run, const struct explanation *explanation)
{
	const char *units = unit_words(explanation->unit, explanation->units != 1);
	unsigned long long cnt = explanation->units;
	const char *select = explanation->slow.select;

	if (run->job->select->selection.has_message)
		return refuse_message(run, cnt);
	switch (explanation->outcome) {
	case EXPLAIN_NO_UNITS:
		log_error("cannot explain the recording: '%s': it has no %s of this selection "
			  "(%s): select others, or another --unit",
			  run->job->path, units, select);
		break;
	case EXPLAIN_TOO_FEW:
		log_error(
			"cannot explain the recording: '%s': its %llu %s of this selection %s not "
			"enough to say what is usual: select more of them, or record for longer",
			run->job->path, cnt, units, cnt == 1 ? "is" : "are");
		break;
	case EXPLAIN_NONE_SLOW:
		log_error("cannot explain the recording: '%s': none of its %llu %s is slow (%s): "
			  "select more of them, for example with --slowest 10%%",
			  run->job->path, cnt, units, select);
		break;
	default:
		log_error("cannot explain the recording: '%s': all of its %llu %s are slow (%s): "
			  "select fewer of them, or name others with --against FILE",
			  run->job->path, cnt, units, select);
	}
	return -EINVAL;
}

static int show_result(const struct run_job *run, const struct explanation *explanation)
{
	if (explanation->outcome != EXPLAIN_DONE && !run->job->is_lenient)
		return refuse_outcome(run, explanation);
	return output_explanation(run->job->output, explanation);
}

/* Takes over `names`. */
static int finish(struct run_job *run, int err, struct stack_names *names,
		  struct explanation *explanation)
{
	err = err ?: explain__finish(run->explain, explanation);
	if (err) {
		stack_names__free(names);
		return err;
	}
	err = explanation_fold_stacks(explanation, names);
	if (err)
		explanation_clean(explanation);
	return err;
}

static int show(struct run_job *run, struct recording_reader *reader, enum unit_kind kind)
{
	struct explanation explanation;
	struct stack_names *names = NULL;
	bool is_explained = explain__choose(run->explain) == EXPLAIN_DONE;
	int err = 0;

	if (is_explained && run->job->select->selection.against == AGAINST_FILE)
		err = add_others(run, kind);
	if (!err && is_explained) {
		run->causes_within = explain__needed(run->explain);
		err = make_pass(run, reader, &run->info, kind, true, on_add);
		names = run->analysis ? analysis__take_stack_names(run->analysis) : NULL;
		end_pass(run);
		run->causes_within = NULL;
	}
	err = finish(run, err, names, &explanation);
	if (err)
		return err;
	err = show_result(run, &explanation);
	explanation_clean(&explanation);
	return err;
}

/* Why this run cannot be explained. NULL: it can. */
static const char *refusal(const struct run_job *run)
{
	const struct run_info *info = &run->info;

	if (!info->traced)
		return "it is of an untraced run (--no-trace), so causes are not known: record a "
		       "traced run";
	if (run->job->select->selection.between_ns.is_set && !info->begin.ns)
		return "it does not say when tracing began (an older ipctrace made it): leave out "
		       "--between";
	return NULL;
}

static int refuse(const struct run_job *run, const char *why)
{
	if (run->job->is_lenient)
		log_warning("cannot explain the recording: '%s': %s", run->job->path, why);
	else
		log_error("cannot explain the recording: '%s': %s", run->job->path, why);
	return run->job->is_lenient ? 0 : -EINVAL;
}

static int explain_run_of(struct run_job *run, struct recording_reader *reader)
{
	const char *why = refusal(run);
	enum unit_kind kind;
	int err;

	if (why)
		return refuse(run, why);
	call_choice_describe(&run->info, run->job->calls);
	err = rank_any(run, &kind);
	if (!err)
		err = show(run, reader, kind);
	explain__free(run->explain);
	run->explain = NULL;
	if (err == -E2BIG)
		say_too_much_work("explain", run->job->path);
	return err;
}

int explain_recording(const struct explain_job *job)
{
	struct recording_reader *reader = recording__open(job->path);
	struct run_job run = {.job = job};
	int more, err = 0;

	if (!reader)
		return -errno;
	while (!err && (more = recording__next_run(reader, &run.info)) > 0) {
		run.number++;
		err = call_choice_check(&run.info, job->calls);
		if (!err)
			err = explain_run_of(&run, reader);
	}
	job->output->is_cut = err == -E2BIG || (!err && (more < 0 || !recording__is_whole(reader)));
	if (!err)
		err = more;
	if (!err && !recording__is_whole(reader))
		err = -EINVAL;
	recording__free(reader);
	return err;
}
