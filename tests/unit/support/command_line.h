/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses command lines in tests. `argv` ends with NULL, see ARGV() of each test. */
#pragma once

#include "support/capture.h"
#include "cli/command_line.h"

int words_in(char **argv);

/* As options_parse(), with the capture of stderr. The lists last until the end of the test. */
int parse_line(char **argv, struct options *options, struct capture *err);

/* Expects success without output. */
void accept_line(char **argv, struct options *options, enum command command);

/* Expects a command line of `run`. `spec` is the spec of the first run. It has no lists. */
struct run_options accept_run(char **argv);

/* Expects -EINVAL and one line of ipctrace that contains all three. */
void refuse_line(char **argv, const char *thing, const char *value, const char *remedy);
