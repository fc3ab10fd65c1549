/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sink shows results in one format. One file each, listed in sink.c. A sink gets finished
 * messages and finished summaries, does no analysis of its own, and writes to one stream.
 *
 * Calls come in this order; a sweep has several cells:
 *	begin (cell message* result)* end
 */
#ifndef IPCTRACE_REPORT_SINK_H
#define IPCTRACE_REPORT_SINK_H

#include "model/summary.h"

#include <stdio.h>

struct report_style {
	FILE *out;               /* borrowed */
	bool color;              /* the text may be coloured */
	bool sweep;              /* several cells will come */
	int columns;             /* of the terminal; 0: not a terminal */
	uint64_t slower_than_ns; /* other messages do not come; 0: all do */
};

struct sink;

struct report_format {
	const char *name;    /* the word of --format */
	const char *summary; /* one line for people */
	bool wants_messages; /* message() is called for every message */

	/* NULL and errno on failure; ended by end(). */
	struct sink *(*begin)(const struct report_style *options);

	/* 0 or -errno of the output; after an error only end() follows. `cell` is borrowed. */
	int (*cell)(struct sink *sink, const struct run_info *info);
	int (*message)(struct sink *sink, const struct message *message);
	int (*result)(struct sink *sink, const struct summary *summary);

	/*
	 * Writes what is left, frees the sink. 0 or -errno. `is_cut`: the recording that was shown
	 * lacks its end, and what follows the last result is not known.
	 */
	int (*end)(struct sink *sink, bool is_cut);
};

/* NULL if there is none of that name. */
const struct report_format *report_format_find(const char *name);
const char *report_format_names(void);

#endif
