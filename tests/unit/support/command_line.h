/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines that are parsed. `argv` ends with NULL, see ARGV() of each test. */
#ifndef IPCTRACE_TESTS_COMMAND_LINE_H
#define IPCTRACE_TESTS_COMMAND_LINE_H

#include "support/capture.h"
#include "cli/command_line.h"

int words_in(char **argv);

/* As options_parse(), and what it says on stderr. */
int parse_line(char **argv, struct options *options, struct capture *err);

/* What has to be right, and in silence: options_free() them. */
void accept_line(char **argv, struct options *options, enum command command);

/* -EINVAL, and one line of ipctrace's that holds all three. */
void refuse_line(char **argv, const char *thing, const char *value, const char *remedy);

#endif
