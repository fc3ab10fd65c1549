/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `doctor`, for argp. */
#ifndef IPCTRACE_CLI_DOCTOR_H
#define IPCTRACE_CLI_DOCTOR_H

#include "cli/options.h"

#include <argp.h>

/* Parses into a struct doctor_options. */
extern const struct argp doctor_argp;

#endif
