/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements `ipctrace explain`. Explains why the slow messages of a recording were slow. */
#include "command/commands.h"
#include "command/output.h"
#include "command/recorded/recorded.h"
#include "recording/recording.h"
#include "util/failure.h"

#include <errno.h>
#include <stdlib.h>

int explain_run(const struct explain_options *options)
{
	int runs = recording_count_runs(options->path);
	struct output output = {0};
	const struct recorded_job job = {
		.path = options->path,
		.select = &options->select,
		.calls = &options->calls,
		.no_limit = options->no_limit,
		.output = &output,
		.is_lenient = runs > 1,
	};
	int err;

	if (runs < 0)
		return EXIT_FAILURE;
	err = output_open(&output, &options->output, NULL, runs > 1);
	if (!err)
		err = explain_recording(&job);
	if (output_close(&output) && !err)
		err = -EIO;
	return failure_status("explain", err);
}
