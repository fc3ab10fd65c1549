/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains the runs of a recording, or says why a run cannot be explained. */
#include "command/recorded/recorded.h"

#include "command/output.h"
#include "report/words/labels.h"
#include "util/log.h"

#include <errno.h>

static int refuse_message(const struct recorded_run *run, unsigned long long units)
{
	const struct selection *selection = &run->job->select->selection;

	log_error("--message: '%u/%llu': no such message among the %llu of '%s': -f ndjson shows "
		  "their numbers as channel and seq",
		  selection->message_channel, (unsigned long long)selection->message_position,
		  units, run->job->path);
	return -EINVAL;
}

/* Why there is no explanation. */
static int refuse_outcome(const struct recorded_run *run, const struct explanation *explanation)
{
	const char *units = unit_words(explanation->unit, explanation->units != 1);
	unsigned long long cnt = explanation->units;
	const char *select = explanation->slow.select;

	if (run->job->select->selection.has_message && explanation->outcome != EXPLAIN_NO_BASE)
		return refuse_message(run, cnt);
	switch (explanation->outcome) {
	case EXPLAIN_NO_UNITS:
		log_error("cannot explain the recording: '%s': it has no %s of this selection "
			  "(%s): select others, or another --unit",
			  run->job->path, units, select);
		break;
	case EXPLAIN_NONE_SLOW:
		log_error("cannot explain the recording: '%s': none of its %llu %s is slow (%s): "
			  "select more of them, for example with --slowest 10%%",
			  run->job->path, cnt, units, select);
		break;
	default:
		if (explanation->has_other) {
			log_error("cannot explain the recording: '%s': there is nothing to compare "
				  "with: '%s' has no %s of this selection: name another recording "
				  "with --against FILE",
				  run->job->path, run->job->select->against,
				  unit_words(explanation->unit, true));
			break;
		}
		log_error("cannot explain the recording: '%s': all of its %llu %s are slow (%s): "
			  "select fewer of them, or name others with --against FILE",
			  run->job->path, cnt, units, select);
	}
	return -EINVAL;
}

/* Why this run cannot be explained. NULL: it can. */
static const char *refusal(const struct recorded_run *run)
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

static int explain_recording_refuse(const struct recorded_run *run, const char *why)
{
	if (run->job->is_lenient)
		log_warning("cannot explain the recording: '%s': %s", run->job->path, why);
	else
		log_error("cannot explain the recording: '%s': %s", run->job->path, why);
	return run->job->is_lenient ? 0 : -EINVAL;
}

static int explain_run_of(struct recorded_run *run)
{
	struct two_passes passes;
	const char *why = refusal(run);
	int err;

	if (why)
		return explain_recording_refuse(run, why);
	call_choice_describe(&run->info, run->job->calls);
	passes = (struct two_passes){.run = *run};
	err = two_passes_make(&passes);
	if (!err && !explain_has_rows(passes.explanation.outcome) && !run->job->is_lenient)
		err = refuse_outcome(run, &passes.explanation);
	else if (!err)
		err = output_explanation(run->job->output, &passes.explanation);
	two_passes_clean(&passes);
	if (err == -E2BIG)
		say_too_much_work("explain", run->job->path);
	return err;
}

int explain_recording(const struct recorded_job *job)
{
	struct recorded_run run = {.job = job, .reader = recording__open(job->path)};
	int more, err = 0;

	if (!run.reader)
		return -errno;
	while (!err && (more = recording__next_run(run.reader, &run.info)) > 0) {
		run.run_at = recording__run_at(run.reader);
		err = call_choice_check(&run.info, job->calls);
		if (!err)
			err = explain_run_of(&run);
	}
	job->output->is_cut =
		err == -E2BIG || (!err && (more < 0 || !recording__is_whole(run.reader)));
	if (!err)
		err = more;
	if (!err && !recording__is_whole(run.reader))
		err = -EINVAL;
	recording__free(run.reader);
	return err;
}
