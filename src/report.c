/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include "log.h"
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

/* Cells are not counted in a recording: a second one shows when the first is read. */
static int count_cells(const char *path)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;
	int cells = 0, more;

	if (!reader)
		return -errno;
	while ((more = recording__next_cell(reader, &info)) > 0)
		cells++;
	recording__free(reader);
	return more < 0 ? more : cells;
}

int report_run(const struct report_options *options)
{
	struct recording_reader *reader;
	struct run_info info;
	struct output output;
	int cells = count_cells(options->path), err;

	if (!cells)
		log_error("cannot read the recording: %s: it is empty", options->path);
	if (cells <= 0)
		return EXIT_FAILURE;
	reader = recording__open(options->path);
	if (!reader)
		return EXIT_FAILURE;
	err = output_open(&output, &options->output, cells > 1);
	while (!err && recording__next_cell(reader, &info) > 0)
		err = show_cell(reader, &output, &info);
	if (output_close(&output))
		err = -EIO;
	recording__free(reader);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
