/* SPDX-License-Identifier: BSD-2-Clause */
/* Analyses each run of a recording, and passes the results to the report. */
#include "command/recorded/report_recording.h"

#include "command/recorded/analyse.h"
#include "command/call_choice.h"
#include "command/message_filter.h"
#include "command/output.h"
#include "command/recorded/two_passes.h"
#include "util/log.h"

#include <errno.h>

/* The run that is shown, and where the reader of the recording stands. */
struct run_job {
	const struct report_job *job;
	struct recording_reader *reader;
	struct run_info info;
	int number; /* of the run, from 1 */
};

static int on_rank_message(void *ctx, const struct message *message)
{
	return message_filter__rank_message(ctx, message);
}

static int on_rank_call(void *ctx, const struct call *call)
{
	return message_filter__rank_call(ctx, call);
}

/* Which ones are the slowest is known only after all of the run was read. */
static int rank(const struct run_job *run, struct message_filter *filter)
{
	const struct report_job *job = run->job;
	struct recording_reader *reader = analyse_again(job->path, run->number);
	struct analysis *analysis;
	int err;

	if (!reader)
		return -errno;
	analysis = analysis__new(&run->info, on_rank_message, filter);
	err = analysis ? output_filter_units(analysis) : -ENOMEM;
	if (!err) {
		analysis__set_on_call(analysis, on_rank_call);
		err = analyse_run(analysis, reader, job->no_limit, job->steps_per_record);
	}
	analysis__free(analysis);
	recording__free(reader);
	return err;
}

/* "between" counts from the begin, which recordings before version 11 do not have. */
static int check_selection(const struct run_job *run)
{
	if (!run->job->select->selection.between_ns.is_set || run->info.begin.ns)
		return 0;
	log_error("--between: '%s': it does not say when tracing began (an older ipctrace made "
		  "it): leave out --between",
		  run->job->path);
	return -EINVAL;
}

static int choose_messages(struct run_job *run)
{
	struct output *output = run->job->output;

	if (!run->job->select->given)
		return 0;
	output->filter = message_filter__new(run->job->select, &run->info);
	if (!output->filter)
		return -errno;
	return message_filter__needs_ranks(output->filter) ? rank(run, output->filter) : 0;
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
	if (!err)
		err = output_result(job->output, analysis__summary(analysis));
	analysis__free(analysis);
	return err;
}

static int show_messages(struct run_job *run)
{
	struct output *output = run->job->output;
	int err = choose_messages(run);

	if (!err)
		err = analyse(run);
	message_filter__free(output->filter);
	output->filter = NULL;
	return err;
}

static int illustrate(struct run_job *run)
{
	const struct report_job *job = run->job;
	struct two_passes passes = {.run = {.path = job->path,
					    .number = run->number,
					    .info = run->info,
					    .select = job->select,
					    .calls = job->calls,
					    .no_limit = job->no_limit,
					    .steps_per_record = job->steps_per_record},
				    .is_over = job->is_over,
				    .is_illustrated = true};
	int err = two_passes_make(&passes, run->reader);

	if (!err)
		err = output_illustration(
			job->output, &(struct illustration){analysis__summary(passes.summed),
							    &passes.explanation, &passes.picture});
	two_passes_clean(&passes);
	return err;
}

static int show_run(struct run_job *run)
{
	int err;

	run->number++;
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
	int more = 1, err = 0;

	while (!err && more > 0) {
		err = show_run(&run);
		more = err ? 0 : recording__next_run(reader, &run.info);
	}
	if (err == -E2BIG)
		say_too_much_work("report", job->path);
	job->output->is_cut = more < 0 || err == -E2BIG || (!err && !recording__is_whole(reader));
	if (more < 0)
		return more;
	/* The recording is damaged, which was logged. The readable part has been shown. */
	return !err && !recording__is_whole(reader) ? -EINVAL : err;
}
