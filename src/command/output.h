/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens where the report goes, and the sink that writes it. */
#ifndef IPCTRACE_COMMAND_OUTPUT_H
#define IPCTRACE_COMMAND_OUTPUT_H

#include "analysis/analysis.h"
#include "cli/options.h"
#include "recording/recording.h"
#include "report/sink.h"

struct output {
	const struct report_format *ops;
	struct sink *sink;
	struct atomic_file *file;
	const char *path;                   /* NULL: standard output */
	uint64_t slower_than_ns;            /* others are neither shown nor kept */
	struct recording_writer *recording; /* NULL: none */
	bool keeps_messages;                /* the recording gets what is shown, not records */
	bool is_cut;                        /* the recording that is shown lacks its end */
	bool has_content;                   /* a message or a result */
	bool failed;                        /* and it was said why */
};

/*
 * A document in one piece, of which `write` returns 0 or -errno; `what` is its name. `path` NULL is
 * standard output. 0 or -errno (logged).
 */
typedef int output_write_fn(const void *ctx, FILE *out);
int output_write(const char *path, const char *what, output_write_fn *write, const void *ctx);

/* Whether a run, traced or not, can be shown so: 0 or -EINVAL (logged). */
int output_check(const struct report_format *format, bool traced);

/*
 * Opens the report and, unless `record` is NULL, a recording. An old file stays until there is
 * content for a new one. `output` is zero-initialised. 0 or -errno (logged).
 */
int output_open(struct output *output, const struct output_options *options, const char *record,
		bool is_matrix);

/* An analysis whose messages go to the output, if it wants them. NULL: out of memory. */
struct analysis *output_analysis(struct output *output, const struct run_info *info);

/* Both: 0 or -errno (logged). */
int output_run(struct output *output, const struct run_info *info);

/* What has been shown so far of messages reaches its reader. 0 or -errno (logged). */
int output_flush(struct output *output);

int output_result(struct output *output, const struct summary *summary);

/* Ends report and recording. Without content no file is left. 0 or -errno (logged). */
int output_close(struct output *output);

#endif
