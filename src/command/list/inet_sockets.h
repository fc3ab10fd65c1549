/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists TCP and UDP sockets. */
#ifndef IPCTRACE_COMMAND_LIST_INET_SOCKETS_H
#define IPCTRACE_COMMAND_LIST_INET_SOCKETS_H

#include "command/list/channel_list.h"

/* Adds the TCP and UDP sockets of the network namespace of `diag`, IPv4 and IPv6. 0 or -errno. */
int inet_sockets_add(int diag, uint64_t network, struct channel_list *list);

#endif
