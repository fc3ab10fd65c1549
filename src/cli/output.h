/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the parsers that several commands share: for output options, counts, durations and
 * tracing levels.
 */
#pragma once

#include "cli/options.h"

#include <argp.h>

/* These parse into a struct output_options. */
extern const struct argp whole_argp;      /* for commands that show no messages */
extern const struct argp screen_argp;     /* the same, with a first screen */
extern const struct argp message_argp;    /* for commands that show messages */
extern const struct argp run_report_argp; /* as message_argp, for commands that show runs */

#define LEVEL_HELP                                                                                 \
	"How much to trace (default: full):\n"                                                     \
	"full\tall transports, with the times of system calls\n"                                   \
	"light\tonly unix sockets and TCP, without the times of system calls (needs Linux 6.3). "  \
	"This slows other programs less.\n"                                                        \
	"deep\tas full; also what wakes threads and interrupts them, for explanations. This "      \
	"costs more."

#define STACKS_HELP                                                                                \
	"Record the stacks of threads that a traced thread waits for, and of traced threads "      \
	"that sleep, if it takes DUR or longer (default: no stacks; without DUR: the time of "     \
	"--slower-than, or else 100us). The report of ipctrace explain shows them."

#define READER_POLICY_HELP                                                                         \
	"How ipctrace itself gets a CPU to read and analyse records (default: idle):\n"            \
	"idle\tonly when no other thread wants it; if the buffer fills up, before others\n"        \
	"other\tas any other thread\n"                                                             \
	"LIST\tas any other thread, but only on these CPUs, for example 0,4-5"

#define RECORD_HELP "Write all records to FILE, for ipctrace report (default: no recording)"

#define NO_LIMIT_HELP                                                                              \
	"Analyse the recording, however long that takes (default: stop if it takes much longer "   \
	"than a good recording of its size). Use this only for recordings that you trust."

/* For the end of the help of a command. */
#define DURATION_HELP "DUR is a number with a unit: ns, us, ms, s or m. Example: 10ms or 0.5s.\n"
#define GLOB_HELP     "GLOB is a name with wildcards. Example: 'redis-*'.\n"

/* How large a trace gets without --max-size. */
#define TRACE_BYTES_MAX 200000000

/* Parse the value of --`option`. 0, or EINVAL (logged). */
int parse_bounded(const char *option, const char *arg, uint64_t min, uint64_t max, uint64_t *value);
int parse_count(const char *option, const char *arg, uint32_t max, uint32_t *count); /* from 1 */
int parse_period(const char *option, const char *arg, uint64_t *ns);
int parse_unit(const char *arg, enum unit_kind *unit);
int parse_level(const char *arg, enum level *level);
int parse_stacks(const char *arg, uint64_t *over_ns); /* without a value: STACKS_BY_DEFAULT */

/* Refuses --stacks if nothing shows or keeps them. 0, or EINVAL (logged). */
int stacks_check(uint64_t stacks_over_ns, bool is_shown);
int parse_reader_policy(const char *arg, struct reader_spec *reader);

/* Logs why a value is refused; `why` is that of util/parse.h. EINVAL. */
int refuse_value(const char *option, const char *why);

/* Logs that an option has no such value, and those that it has. EINVAL. */
int refuse_word(const char *option, const char *word, const char *known);

/*
 * Checks that report and recording go to different files. 0, or EINVAL (logged). `record` may be
 * NULL.
 */
int output_options_check(const struct output_options *output, const char *record);

/*
 * Checks the format of a command that shows one whole instead of messages: all formats but text and
 * json are made of messages. 0, or EINVAL (logged).
 */
int output_options_check_whole(const struct output_options *output, const char *command);

void output_options_init(struct output_options *output);
