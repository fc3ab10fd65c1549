/* SPDX-License-Identifier: BSD-2-Clause */
/* The command lines of all commands, for argp. Each parses into the struct of its command. */
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
