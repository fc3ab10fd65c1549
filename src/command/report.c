/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `ipctrace report`. Reads a recording, analyses its records and writes the report. */
#include "command/analyse.h"
#include "command/call_choice.h"
#include "command/commands.h"
#include "command/message_filter.h"
#include "command/output.h"
#include "recording/recording.h"
#include "util/failure.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>

/* What is shown, and where the reader of the recording stands. */
struct job {
	const struct report_options *options;
	struct recording_reader *reader;
	struct output output;
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
static int rank(const struct job *job, const struct run_info *info, struct message_filter *filter)
{
	const struct report_options *options = job->options;
	struct recording_reader *reader = analyse_again(options->path, job->number);
	struct analysis *analysis;
	int err;

	if (!reader)
		return -errno;
	analysis = analysis__new(info, on_rank_message, filter);
	err = analysis ? output_filter_units(analysis) : -ENOMEM;
	if (!err) {
		analysis__set_on_call(analysis, on_rank_call);
		err = analyse_run(analysis, reader, options->no_limit, options->steps_per_record);
	}
	analysis__free(analysis);
	recording__free(reader);
	return err;
}

/* "between" counts from the begin, which recordings before version 11 do not have. */
static int check_selection(const struct job *job, const struct run_info *info)
{
	if (!job->options->select.selection.between_ns.is_set || info->begin.ns)
		return 0;
	log_error("--between: '%s': it does not say when tracing began (an older ipctrace made "
		  "it): leave out --between",
		  job->options->path);
	return -EINVAL;
}

static int choose_messages(struct job *job, const struct run_info *info)
{
	int err = check_selection(job, info);

	if (err || !job->options->select.given)
		return err;
	job->output.filter = message_filter__new(&job->options->select, info);
	if (!job->output.filter)
		return -errno;
	return message_filter__needs_ranks(job->output.filter) ? rank(job, info, job->output.filter)
							       : 0;
}

static int analyse(struct job *job, const struct run_info *info)
{
	const struct report_options *options = job->options;
	struct analysis *analysis = output_analysis(&job->output, info);
	int err;

	if (!analysis)
		return -ENOMEM;
	err = output_run(&job->output, info);
	if (!err)
		err = analyse_run(analysis, job->reader, options->no_limit,
				  options->steps_per_record);
	if (!err)
		err = output_result(&job->output, analysis__summary(analysis));
	analysis__free(analysis);
	return err;
}

static int show_run(struct job *job, struct run_info *info)
{
	int err;

	job->number++;
	call_choice_describe(info, &job->options->calls);
	err = choose_messages(job, info);
	if (!err)
		err = analyse(job, info);
	message_filter__free(job->output.filter);
	job->output.filter = NULL;
	return err;
}

/* The first run's header shows whether it belongs to an experiment, which has its own tables. */
static int show_runs(struct recording_reader *reader, const struct report_options *options,
		     int runs)
{
	struct job job = {.options = options, .reader = reader};
	struct output *output = &job.output;
	struct run_info info;
	int more = recording__next_run(reader, &info), err;

	if (more <= 0)
		return more;
	err = call_choice_check(&info, &options->calls);
	if (err)
		return err;
	if (options->select.given)
		select_text(&options->select, output->select);
	err = output_open(output, &options->output, NULL, runs > 1 || info.experiment[0]);
	while (!err && more > 0) {
		err = show_run(&job, &info);
		more = err ? 0 : recording__next_run(reader, &info);
	}
	if (err == -E2BIG)
		say_too_much_work("report", options->path);
	output->is_cut = more < 0 || err == -E2BIG || (!err && !recording__is_whole(reader));
	if (output_close(output))
		err = -EIO;
	if (more < 0)
		return more;
	/* The recording is damaged, which was logged. The readable part has been shown. */
	return !err && !recording__is_whole(reader) ? -EINVAL : err;
}

int report_run(const struct report_options *options)
{
	struct recording_reader *reader;
	int runs = recording_count_runs(options->path), err;

	if (runs < 0)
		return EXIT_FAILURE;
	reader = recording__open(options->path);
	if (!reader)
		return EXIT_FAILURE;
	err = show_runs(reader, options, runs);
	recording__free(reader);
	return failure_status("report", err);
}
