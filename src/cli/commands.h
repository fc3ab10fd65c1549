/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the argp parser of each command. A parser fills in the options struct of its command
 * (cli/options.h).
 */
#pragma once

#include "cli/options.h"

#include <argp.h>

extern const struct argp run_argp;
extern const struct argp attach_argp;
extern const struct argp report_argp;
extern const struct argp list_argp;
extern const struct argp doctor_argp;

/* Sets the defaults. 0 or -ENOMEM. */
int run_options_init(struct run_options *run);
void run_options_clean(struct run_options *run);
