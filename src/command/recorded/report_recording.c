/* SPDX-License-Identifier: BSD-2-Clause */
/* Analyses each run of a recording, and passes the results to the report. */
#include "command/recorded/report_recording.h"

#include "command/recorded/analyse.h"
#include "command/call_choice.h"
#include "command/output.h"
#include "command/recorded/choice.h"
#include "command/recorded/two_passes.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

/* The run that is shown, and where the reader of the recording stands. */
struct run_job {
	const struct report_job *job;
	struct recording_reader *reader;
	struct run_info info;
};

/* Instants count from the begin, which recordings before version 11 do not have. */
static int check_selection(const struct run_job *run)
{
	const struct select_options *select = run->job->select;
	const char *option = select->around && !strchr(select->around, '/') ? "around" : "between";

	if (run->info.begin.ns ||
	    (!select->selection.between_ns.is_set && strcmp(option, "around")))
		return 0;
	log_error("--%s: '%s': it does not say when tracing began (an older ipctrace made it): "
		  "leave out --%s",
		  option, run->job->path, option);
	return -EINVAL;
}

static int analyse(struct run_job *run)
{
	const struct report_job *job = run->job;
	struct analysis *analysis = output_analysis(job->output, &run->info);
	int err;

	if (!analysis)
		return -ENOMEM;
	err = output_run(job->output, &run->info);
	if (!err)
		err = analyse_run(analysis, run->reader, job->no_limit, job->steps_per_record);
	if (!err) {
		output_warn_of_left_out(analysis);
		err = output_result(job->output, analysis__summary(analysis));
	}
	analysis__free(analysis);
	return err;
}

static struct recorded_run recorded(const struct run_job *run)
{
	const struct report_job *job = run->job;

	return (struct recorded_run){.path = job->path,
				     .run_at = recording__run_at(run->reader),
				     .info = run->info,
				     .select = job->select,
				     .calls = job->calls,
				     .no_limit = job->no_limit,
				     .steps_per_record = job->steps_per_record};
}

static int show_messages(struct run_job *run)
{
	struct output *output = run->job->output;
	const struct recorded_run recorded_run = recorded(run);
	int err = choice_begin(&recorded_run, output);

	if (!err)
		err = analyse(run);
	choice_end(output);
	return err;
}

static int illustrate(struct run_job *run)
{
	const struct report_job *job = run->job;
	struct two_passes passes = {
		.run = recorded(run), .is_over = job->is_over, .is_illustrated = true};
	int err = output_check(job->output->format, run->info.traced);

	if (!err)
		err = two_passes_make(&passes, run->reader);
	if (!err) {
		output_warn_of_left_out(passes.summed);
		err = output_illustration(
			job->output,
			&(struct illustration){.summary = analysis__summary(passes.summed),
					       .explanation = &passes.explanation,
					       .picture = &passes.picture});
	}
	two_passes_clean(&passes);
	return err;
}

static int show_run(struct run_job *run)
{
	int err;

	call_choice_describe(&run->info, run->job->calls);
	err = check_selection(run);
	if (err)
		return err;
	return output_illustrates(run->job->output) ? illustrate(run) : show_messages(run);
}

int report_recording(const struct report_job *job, struct recording_reader *reader,
		     const struct run_info *info)
{
	struct run_job run = {.job = job, .reader = reader, .info = *info};
	int runs = job->is_one_of_several ? 1 : recording_count_runs(job->path), more = 1, err = 0;

	job->output->run_bytes = job->output->max_bytes / (runs > 0 ? runs : 1);
	while (!err && more > 0) {
		err = show_run(&run);
		do
			more = err ? 0 : recording__next_run(reader, &run.info);
		while (more > 0 && job->is_one_of_several);
	}
	if (err == -E2BIG)
		say_too_much_work("report", job->path);
	choice_warn(job->output);
	job->output->is_cut = more < 0 || err == -E2BIG || (!err && !recording__is_whole(reader));
	if (more < 0)
		return more;
	/* The recording is damaged, which was logged. The readable part has been shown. */
	return !err && !recording__is_whole(reader) ? -EINVAL : err;
}
