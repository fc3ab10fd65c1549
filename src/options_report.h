/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `report`. */
#ifndef IPCTRACE_OPTIONS_REPORT_H
#define IPCTRACE_OPTIONS_REPORT_H

#include "options.h"

#include <argp.h>

/* Its input is a struct report_options. */
extern const struct argp report_argp;

#endif
