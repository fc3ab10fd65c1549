/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns held pipes, FIFOs and message queues into connections. */
#ifndef IPCTRACE_COMMAND_LIST_PIPES_H
#define IPCTRACE_COMMAND_LIST_PIPES_H

#include "command/list/channel_list.h"

/*
 * Adds the pipes, FIFOs and message queues that processes hold. `complete`: all processes were
 * visible, so that a side without a holder is closed. 0 or -ENOMEM.
 */
int pipes_add(const struct owners *owners, bool complete, struct channel_list *list);

#endif
