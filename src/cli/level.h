/* SPDX-License-Identifier: BSD-2-Clause */
/* --level, an option of `run` and `attach`. */
#ifndef IPCTRACE_CLI_LEVEL_H
#define IPCTRACE_CLI_LEVEL_H

#include "cli/options.h"

#define LEVEL_HELP                                                                                 \
	"full (default) or light: nothing runs at system calls, which costs those who are not "    \
	"traced less; of unix sockets and TCP only"

/* 0, or EINVAL (logged). */
int level_parse(const char *arg, enum level *level);

/* Checks that the level can trace all runs. 0, or EINVAL (logged). */
int level_check(enum level level, const struct run_matrix *matrix);

#endif
