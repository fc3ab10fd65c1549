/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the parsers of all commands need of the options of the output. */
#pragma once

#include "cli/options.h"

/* How large a trace gets without --max-size. */
#define TRACE_BYTES_MAX 200000000

/*
 * Checks that report and recording go to different files. 0, or EINVAL (logged). `record` may be
 * NULL.
 */
int output_options_check(const struct output_options *output, const char *record);

/*
 * Checks that the output, which is `what`, does not go to the recording that is read. 0, or EINVAL
 * (logged). `source` may be NULL.
 */
int output_options_check_source(const struct output_options *output, const char *what,
				const char *source);

/*
 * Checks the format of a command that shows one whole instead of messages: all formats but text and
 * json are made of messages. 0, or EINVAL (logged).
 */
int output_options_check_whole(const struct output_options *output, const char *command);

void output_options_init(struct output_options *output);
