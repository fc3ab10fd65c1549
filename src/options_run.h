/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `ipctrace run`. */
#ifndef IPCTRACE_OPTIONS_RUN_H
#define IPCTRACE_OPTIONS_RUN_H

#include "options.h"

#include <argp.h>

/* Its input is a struct run_options. */
extern const struct argp run_argp;

void run_options_init(struct run_options *run);

#endif
