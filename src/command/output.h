/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the output of ipctrace: a report in one format and, with --record, a recording. */
#pragma once

#include "analysis/analysis.h"
#include "cli/options.h"
#include "command/excerpt/excerpt.h"
#include "command/message_filter.h"
#include "command/watch/watch.h"
#include "recording/recording.h"
#include "report/format.h"

struct output {
	const struct report_format *format;
	struct report *report;
	struct atomic_file *file;
	const char *path;                   /* NULL: standard output */
	const char *figure;                 /* the one that svg shows */
	uint64_t slower_than_ns;            /* faster messages are neither shown nor kept */
	struct recording_writer *recording; /* NULL: none */
	struct message_filter *filter;      /* shows only what passes; NULL: none. Borrowed */
	char select[SELECT_TEXT_LEN];       /* what the filter selects, in words; empty: all */
	struct excerpt *excerpt;            /* what fits into the file; NULL: all. Borrowed */
	char limit[EXCERPT_TEXT_LEN];       /* what that is, in words; empty: all */
	uint64_t max_bytes;                 /* of the file, if it has an excerpt, ... */
	uint64_t run_bytes;                 /* ... and of each run in it */
	uint64_t left_out;                  /* messages for which the file had no room after all */
	uint64_t bytes;                     /* how large it became */
	struct watch *watch;                /* gets messages and calls, too; NULL: none. Borrowed */
	bool is_cut;                        /* the recording that is reported lacks its end */
	bool waits;       /* the report is made of the recording, when that has ended */
	bool is_live;     /* of a run or an attach that has just ended */
	bool has_result;  /* a run has ended with a result */
	bool has_content; /* a message or a result was written */
	bool failed;      /* an error was logged */
};

/*
 * Writes a document in one piece, as text or JSON. The functions return 0 or -errno; `what` names
 * the document in errors. 0 or -errno (logged).
 */
typedef int output_write_fn(const void *ctx, const struct report_style *style);
int output_write(const struct output_options *options, const char *what, output_write_fn *text,
		 output_write_fn *json, const void *ctx);

/* Puts what the user says of calls into `info`. Options that were not given leave it as it is. */
void call_choice_describe(struct run_info *info, const struct call_options *calls);

/* Whether a recording can be reported with these options. 0 or -EINVAL (logged). */
int call_choice_check(const struct run_info *info, const struct call_options *calls);

/* Checks that the format can show a run, traced or not. 0, or -EINVAL (logged). */
int output_check(const struct report_format *format, bool traced);

/*
 * Checks that the format can show several runs, if there are. `remedy` is what else the user can
 * do. 0 or -EINVAL (logged).
 */
int output_check_runs(const struct report_format *format, bool is_matrix, const char *remedy);

/*
 * Opens the report and, unless `record` is NULL, a recording. An old file stays until there is
 * content for the new one. `output` must be zero. 0 or -errno (logged).
 */
int output_open(struct output *output, const struct output_options *options, const char *record,
		bool is_matrix);

/*
 * An analysis that passes its messages to the output, if the output needs them. NULL: out of
 * memory.
 */
struct analysis *output_analysis(struct output *output, const struct run_info *info);

/* Names the types of records that the analysis has made nothing of. */
void output_warn_of_left_out(const struct analysis *analysis);

/* Whether the selection has the message. */
bool output_passes_message(const struct output *output, const struct message *message);

/* What the recording has of a run. */
void output_describe(struct run_info *info, const struct output_options *options,
		     const struct trace_options *trace);

/* Begins the report of one run. 0 or -errno (logged). */
int output_run(struct output *output, const struct run_info *info);

/* Whether messages are written while tracing goes on, maybe to the terminal: not into a file. */
bool output_shows_live(const struct output *output);

/* Makes the messages so far visible to the reader of the report. 0 or -errno (logged). */
int output_flush(struct output *output);

int output_result(struct output *output, const struct summary *summary);

/* Ends the recording before the report, so that it can be read. 0 or -errno (logged). */
int output_end_recording(struct output *output);

/* One run with all that figures need. 0 or -errno (logged). */
int output_illustration(struct output *output, const struct illustration *illustration);

/* Why slow messages were slow, after all results. 0 or -errno (logged). */
int output_explanation(struct output *output, const struct explanation *explanation);

/* Ends report and recording. Without content no file is left. 0 or -errno (logged). */
int output_close(struct output *output);
