/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains the runs of a recording, or says why a run cannot be explained. */
#include "command/recorded/explain_recording.h"

#include "command/call_choice.h"
#include "command/output.h"
#include "command/recorded/two_passes.h"
#include "report/words/labels.h"
#include "util/log.h"

#include <errno.h>

/* One run of the recording. */
struct run_job {
	const struct explain_job *job;
	struct recorded_run run;
};

static int refuse_message(const struct run_job *job, unsigned long long units)
{
	const struct selection *selection = &job->run.select->selection;

	log_error("--message: '%u/%llu': no such message among the %llu of '%s': -f ndjson shows "
		  "their numbers as channel and seq",
		  selection->message_channel, (unsigned long long)selection->message_position,
		  units, job->run.path);
	return -EINVAL;
}

/* Why there is no explanation. */
static int refuse_outcome(const struct run_job *job, const struct explanation *explanation)
{
	const char *units = unit_words(explanation->unit, explanation->units != 1);
	unsigned long long cnt = explanation->units;
	const char *select = explanation->slow.select;

	if (job->run.select->selection.has_message && explanation->outcome != EXPLAIN_NO_BASE)
		return refuse_message(job, cnt);
	switch (explanation->outcome) {
	case EXPLAIN_NO_UNITS:
		log_error("cannot explain the recording: '%s': it has no %s of this selection "
			  "(%s): select others, or another --unit",
			  job->run.path, units, select);
		break;
	case EXPLAIN_TOO_FEW:
		log_error(
			"cannot explain the recording: '%s': its %llu %s of this selection %s not "
			"enough to say what is usual: select more of them, or record for longer",
			job->run.path, cnt, units, cnt == 1 ? "is" : "are");
		break;
	case EXPLAIN_NONE_SLOW:
		log_error("cannot explain the recording: '%s': none of its %llu %s is slow (%s): "
			  "select more of them, for example with --slowest 10%%",
			  job->run.path, cnt, units, select);
		break;
	default:
		if (explanation->has_other) {
			log_error("cannot explain the recording: '%s': there is nothing to compare "
				  "with: '%s' has no %s of this selection: name another recording "
				  "with --against FILE",
				  job->run.path, job->run.select->against,
				  unit_words(explanation->unit, true));
			break;
		}
		log_error("cannot explain the recording: '%s': all of its %llu %s are slow (%s): "
			  "select fewer of them, or name others with --against FILE",
			  job->run.path, cnt, units, select);
	}
	return -EINVAL;
}

static int show_result(const struct run_job *job, const struct explanation *explanation)
{
	if (explanation->outcome != EXPLAIN_DONE && !job->job->is_lenient)
		return refuse_outcome(job, explanation);
	return output_explanation(job->job->output, explanation);
}

/* Why this run cannot be explained. NULL: it can. */
static const char *refusal(const struct run_job *job)
{
	const struct run_info *info = &job->run.info;

	if (!info->traced)
		return "it is of an untraced run (--no-trace), so causes are not known: record a "
		       "traced run";
	if (job->run.select->selection.between_ns.is_set && !info->begin.ns)
		return "it does not say when tracing began (an older ipctrace made it): leave out "
		       "--between";
	return NULL;
}

static int explain_recording_refuse(const struct run_job *job, const char *why)
{
	if (job->job->is_lenient)
		log_warning("cannot explain the recording: '%s': %s", job->run.path, why);
	else
		log_error("cannot explain the recording: '%s': %s", job->run.path, why);
	return job->job->is_lenient ? 0 : -EINVAL;
}

static int explain_run_of(struct run_job *job, struct recording_reader *reader)
{
	struct two_passes passes;
	const char *why = refusal(job);
	int err;

	if (why)
		return explain_recording_refuse(job, why);
	call_choice_describe(&job->run.info, job->run.calls);
	passes = (struct two_passes){.run = job->run, .is_over = job->job->is_over};
	err = two_passes_make(&passes, reader);
	if (!err)
		err = show_result(job, &passes.explanation);
	two_passes_clean(&passes);
	if (err == -E2BIG)
		say_too_much_work("explain", job->run.path);
	return err;
}

int explain_recording(const struct explain_job *job)
{
	struct recording_reader *reader = recording__open(job->path);
	struct run_job run = {.job = job,
			      .run = {.path = job->path,
				      .select = job->select,
				      .calls = job->calls,
				      .no_limit = job->no_limit}};
	int more, err = 0;

	if (!reader)
		return -errno;
	while (!err && (more = recording__next_run(reader, &run.run.info)) > 0) {
		run.run.run_at = recording__run_at(reader);
		err = call_choice_check(&run.run.info, job->calls);
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
