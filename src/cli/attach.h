/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `attach`, for argp. */
#ifndef IPCTRACE_CLI_ATTACH_H
#define IPCTRACE_CLI_ATTACH_H

#include "cli/options.h"

#include <argp.h>

/* Parses into a struct attach_options. */
extern const struct argp attach_argp;

#endif
