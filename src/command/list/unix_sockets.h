/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists unix sockets. */
#ifndef IPCTRACE_COMMAND_LIST_UNIX_SOCKETS_H
#define IPCTRACE_COMMAND_LIST_UNIX_SOCKETS_H

#include "command/list/channel_list.h"

/* Adds the unix sockets of the network namespace of `diag`. 0 or -errno. */
int unix_sockets_add(int diag, uint64_t network, struct channel_list *list);

#endif
