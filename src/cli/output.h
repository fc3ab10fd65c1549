/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that every command has, or several: how and where results are shown. */
#ifndef IPCTRACE_CLI_OUTPUT_H
#define IPCTRACE_CLI_OUTPUT_H

#include "cli/options.h"

#include <argp.h>

/* Its input is a struct output_options. */
extern const struct argp output_argp;

/* The same for commands that show messages: with what else there is to say of these. */
extern const struct argp message_argp;

/* Whether report and recording go to different files: 0 or EINVAL (logged). `record` NULL: none. */
int output_options_check(const struct output_options *output, const char *record);

void output_options_init(struct output_options *output);

#endif
