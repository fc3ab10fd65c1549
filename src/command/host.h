/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine and the command line, for reports and recordings. */
#ifndef IPCTRACE_COMMAND_HOST_H
#define IPCTRACE_COMMAND_HOST_H

#include "model/spec.h"

/* Fields without a known value stay empty. */
void host_describe(struct host *host);

/* Joins the command line to one text. What does not fit is cut off. */
void host_describe_command(char **argv, char *text, size_t size);

#endif
