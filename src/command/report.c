/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `ipctrace report`. Opens a recording and the report. */
#include "command/commands.h"
#include "command/message_filter.h"
#include "command/output.h"
#include "command/recorded/recorded.h"
#include "report/json/schema.h"
#include "util/failure.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>

static int find_run(struct recording_reader *reader, uint32_t run, struct run_info *info)
{
	int more = recording__next_run(reader, info);

	for (uint32_t i = 1; more > 0 && i < run; i++)
		more = recording__next_run(reader, info);
	return more;
}

/* The first run's header shows whether it belongs to an experiment, which has its own tables. */
static int show_runs(struct recording_reader *reader, const struct report_options *options,
		     int runs)
{
	struct output output = {0};
	const struct recorded_job job = {.path = options->path,
					 .select = &options->select,
					 .calls = &options->calls,
					 .no_limit = options->no_limit,
					 .is_one_of_several = options->run,
					 .steps_per_record = options->steps_per_record,
					 .output = &output};
	struct run_info info;
	int more = find_run(reader, options->run, &info), err;
	bool is_matrix;

	if (more <= 0)
		return more;
	is_matrix = !options->run && (runs > 1 || info.experiment[0]);
	err = call_choice_check(&info, &options->calls)
		      ?: output_check_runs(options->output.format, is_matrix,
					   "choose one with --run");
	if (err)
		return err;
	if (options->select.given)
		select_text(&options->select, output.select);
	err = output_open(&output, &options->output, NULL, is_matrix);
	if (!err)
		err = report_recording(&job, reader, &info);
	if (output_close(&output))
		err = -EIO;
	return err;
}

static int write_schema(const void *ctx, const struct report_style *style)
{
	return schema_write(ctx, style->out);
}

int report_run(const struct report_options *options)
{
	struct recording_reader *reader;
	int runs, err;

	if (options->schema) {
		err = output_write(&options->output, "schema", write_schema, write_schema,
				   options->schema);
		return err ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	runs = recording_count_runs(options->path);
	if (runs < 0)
		return EXIT_FAILURE;
	if (options->run > (uint32_t)runs) {
		log_error("--run: '%u': '%s' has runs 1 to %d: choose one of these", options->run,
			  options->path, runs);
		return EXIT_FAILURE;
	}
	reader = recording__open(options->path);
	if (!reader)
		return EXIT_FAILURE;
	err = show_runs(reader, options, runs);
	recording__free(reader);
	return failure_status("report", err);
}
