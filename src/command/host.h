/* SPDX-License-Identifier: BSD-2-Clause */
/* What machine this is. */
#ifndef IPCTRACE_COMMAND_HOST_H
#define IPCTRACE_COMMAND_HOST_H

#include "model/spec.h"

/* What cannot be found out stays empty. */
void host_describe(struct host *host);

/* The command line in one text, cut off where there is no more room. */
void host_describe_command(char **argv, char *text, size_t size);

#endif
