/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `ipctrace report`. Reads a recording, analyses its records and writes the report. */
#include "command/analyse.h"
#include "command/call_choice.h"
#include "command/commands.h"
#include "command/output.h"
#include "recording/recording.h"
#include "util/failure.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>

static int show_run(struct recording_reader *reader, struct output *output, struct run_info *info,
		    const struct report_options *options)
{
	struct analysis *analysis;
	int err;

	call_choice_describe(info, &options->calls);
	analysis = output_analysis(output, info);
	if (!analysis)
		return -ENOMEM;
	err = output_run(output, info);
	if (!err)
		err = analyse_run(analysis, reader, options->no_limit, options->steps_per_record);
	if (!err)
		err = output_result(output, analysis__summary(analysis));
	analysis__free(analysis);
	return err;
}

/* The first run's header shows whether it belongs to an experiment, which has its own tables. */
static int show_runs(struct recording_reader *reader, const struct report_options *options,
		     int runs)
{
	struct output output = {0};
	struct run_info info;
	int more = recording__next_run(reader, &info), err;

	if (more <= 0)
		return more;
	err = call_choice_check(&info, &options->calls);
	if (err)
		return err;
	err = output_open(&output, &options->output, NULL, runs > 1 || info.experiment[0]);
	while (!err && more > 0) {
		err = show_run(reader, &output, &info, options);
		more = err ? 0 : recording__next_run(reader, &info);
	}
	if (err == -E2BIG)
		say_too_much_work("report", options->path);
	output.is_cut = more < 0 || err == -E2BIG || (!err && !recording__is_whole(reader));
	if (output_close(&output))
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
