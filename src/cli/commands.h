/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares one argp parser for each command. The parsers fill in the structs of cli/options.h. */
#pragma once

#include "cli/options.h"

#include <argp.h>

extern const struct argp run_argp;
extern const struct argp attach_argp;
extern const struct argp report_argp;
extern const struct argp explain_argp;
extern const struct argp list_argp;
extern const struct argp doctor_argp;

/* Sets the defaults. 0 or -ENOMEM. */
int run_options_init(struct run_options *run);
void run_options_clean(struct run_options *run);
