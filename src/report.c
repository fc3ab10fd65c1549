/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include "failure.h"
#include "output.h"
#include "read_ahead.h"
#include "recording.h"

#include <errno.h>
#include <stdlib.h>

static int analyse(struct analysis *analysis, struct recording_reader *reader)
{
	struct read_ahead *ahead = read_ahead__new(reader);
	const struct record *record;
	int err = 0;

	if (!ahead)
		return -ENOMEM;
	while (!err && (record = read_ahead__next(ahead)))
		err = analysis__record(analysis, record);
	read_ahead__free(ahead);
	return err ? err : analysis__finish(analysis);
}

static int show_cell(struct recording_reader *reader, struct output *output,
		     const struct run_info *info)
{
	struct analysis *analysis = output_analysis(output, info);
	int err;

	if (!analysis)
		return -ENOMEM;
	err = output_cell(output, info);
	if (!err)
		err = analyse(analysis, reader);
	if (!err)
		err = output_result(output, analysis__summary(analysis));
	analysis__free(analysis);
	return err;
}

/* The first cell's header tells whether it belongs to an experiment, which has tables of its own.
 */
static int show_cells(struct recording_reader *reader, const struct output_options *options,
		      int cells)
{
	struct output output;
	struct run_info info;
	int more = recording__next_cell(reader, &info), err;

	if (more <= 0)
		return more;
	err = output_open(&output, options, cells > 1 || info.experiment[0]);
	while (!err && more > 0) {
		err = show_cell(reader, &output, &info);
		more = err ? 0 : recording__next_cell(reader, &info);
	}
	output.is_cut = more < 0 || (!err && !recording__is_whole(reader));
	if (output_close(&output))
		err = -EIO;
	if (more < 0)
		return more;
	/* It was said why. What could be read is shown, and is not all. */
	return !err && !recording__is_whole(reader) ? -EINVAL : err;
}

int report_run(const struct report_options *options)
{
	struct recording_reader *reader;
	int cells = recording_count_cells(options->path), err;

	if (cells < 0)
		return EXIT_FAILURE;
	reader = recording__open(options->path);
	if (!reader)
		return EXIT_FAILURE;
	err = show_cells(reader, &options->output, cells);
	recording__free(reader);
	return failure_status("report", err);
}
