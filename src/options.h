/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line, turned into one struct per command. */
#ifndef IPCTRACE_OPTIONS_H
#define IPCTRACE_OPTIONS_H

#include "core/spec.h"

struct sink_ops;

enum command { COMMAND_RUN, COMMAND_REPORT, NR_COMMANDS };

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* How and where results are shown; of every command. Text is borrowed from argv. */
struct output_options {
	const struct sink_ops *format;
	const char *path; /* NULL: standard output */
	enum color color;
	int verbosity; /* -1: quiet; 0; 1, 2: -v, -vv */
};

struct run_options {
	struct output_options output;
	struct workload_spec spec; /* but for the number of clients */
	uint32_t *clients;         /* owned: a cell for each */
	size_t client_cnt;
	bool no_trace;
	bool priority_given;
	const char *record; /* NULL: do not */
};

struct report_options {
	struct output_options output;
	const char *path;
};

struct options {
	enum command command;
	union {
		struct run_options run;
		struct report_options report;
	};
};

/*
 * 0, or -EINVAL after one clear line on stderr. --help, --usage and --version print and exit with
 * 0. On success the caller frees with options_free().
 */
int options_parse(int argc, char **argv, struct options *options);
void options_free(struct options *options);

#endif
