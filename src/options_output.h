/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that every command has: how and where results are shown. */
#ifndef IPCTRACE_OPTIONS_OUTPUT_H
#define IPCTRACE_OPTIONS_OUTPUT_H

#include "options.h"

#include <argp.h>

/* Its input is a struct output_options. */
extern const struct argp output_argp;

void output_options_init(struct output_options *output);

#endif
