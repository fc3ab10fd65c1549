/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include "output.h"
#include "recording.h"

#include <errno.h>
#include <stdlib.h>

static int show_cell(struct recording_reader *reader, struct output *output,
		     const struct run_info *info)
{
	struct analysis *analysis = output_analysis(output, info);
	const struct record *record;
	int err;

	if (!analysis)
		return -ENOMEM;
	err = output_cell(output, info);
	while (!err && (record = recording__read(reader)))
		err = analysis__record(analysis, record);
	if (!err)
		err = analysis__finish(analysis);
	if (!err)
		err = output_result(output, analysis__summary(analysis));
	analysis__free(analysis);
	return err;
}

int report_run(const struct report_options *options)
{
	struct recording_reader *reader;
	struct run_info info;
	struct output output;
	int cells = recording_count_cells(options->path), more = 0, err;

	if (cells < 0)
		return EXIT_FAILURE;
	reader = recording__open(options->path);
	if (!reader)
		return EXIT_FAILURE;
	err = output_open(&output, &options->output, cells > 1);
	while (!err && (more = recording__next_cell(reader, &info)) > 0)
		err = show_cell(reader, &output, &info);
	if (output_close(&output))
		err = -EIO;
	recording__free(reader);
	return err || more < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
