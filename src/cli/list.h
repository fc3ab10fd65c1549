/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `list`, for argp. */
#ifndef IPCTRACE_CLI_LIST_H
#define IPCTRACE_CLI_LIST_H

#include "cli/options.h"

#include <argp.h>

/* Parses into a struct list_options. */
extern const struct argp list_argp;

#endif
