/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that several commands have: how and where results are shown. */
#ifndef IPCTRACE_CLI_OUTPUT_H
#define IPCTRACE_CLI_OUTPUT_H

#include "cli/options.h"

#include <argp.h>

/* Parses into a struct output_options. */
extern const struct argp output_argp;

/* As output_argp, with the options of commands that show messages. */
extern const struct argp message_argp;

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

#endif
