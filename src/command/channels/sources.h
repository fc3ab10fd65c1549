/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that add sockets, pipes and message queues to the list of channels. */
#pragma once

#include "command/channels/channel_list.h"

/* The sockets to add: a busy server has few that accept, and many connections. */
enum wanted_sockets { SOCKETS_ALL, SOCKETS_UNCONNECTED };

/* Add the sockets of the network namespace of `diag`, IPv4 and IPv6. 0 or -errno. */
int unix_sockets_add(int diag, uint64_t network, enum wanted_sockets wanted,
		     struct channel_list *list);
int inet_sockets_add(int diag, uint64_t network, enum wanted_sockets wanted,
		     struct channel_list *list);

/*
 * Adds the pipes, FIFOs and message queues that processes hold. `complete`: all processes were
 * visible, so that a side without a holder is closed. 0 or -ENOMEM.
 */
int pipes_add(const struct owners *owners, bool complete, struct channel_list *list);
