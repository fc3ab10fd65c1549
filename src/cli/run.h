/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `run`, for argp. */
#ifndef IPCTRACE_CLI_RUN_H
#define IPCTRACE_CLI_RUN_H

#include "cli/options.h"

#include <argp.h>

/* Parses into a struct run_options. */
extern const struct argp run_argp;

/* Sets the defaults. 0 or -ENOMEM. */
int run_options_init(struct options *options);
void run_options_clean(struct options *options);

#endif
