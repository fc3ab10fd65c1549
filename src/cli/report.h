/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `report`, for argp. */
#ifndef IPCTRACE_CLI_REPORT_H
#define IPCTRACE_CLI_REPORT_H

#include "cli/options.h"

#include <argp.h>

/* Parses into a struct report_options. */
extern const struct argp report_argp;

#endif
