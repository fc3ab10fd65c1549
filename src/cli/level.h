/* SPDX-License-Identifier: BSD-2-Clause */
/* --level, of run and attach. */
#ifndef IPCTRACE_CLI_LEVEL_H
#define IPCTRACE_CLI_LEVEL_H

#include "cli/options.h"

#define LEVEL_HELP                                                                                 \
	"full (default) or light: nothing runs at system calls, which costs those who are not "    \
	"traced less; of unix sockets and TCP only"

/* 0 or EINVAL, logged. */
int level_parse(const char *arg, enum level *level);

/* Whether all runs can be traced at this level. 0 or EINVAL, logged. */
int level_check(enum level level, const struct run_matrix *matrix);

#endif
