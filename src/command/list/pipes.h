/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_COMMAND_LIST_PIPES_H
#define IPCTRACE_COMMAND_LIST_PIPES_H

#include "command/list/channel_list.h"

/*
 * Adds the pipes, FIFOs and message queues that somebody holds. `complete`: nobody was hidden, so
 * that a side which nobody holds is gone. 0 or -ENOMEM.
 */
int pipes_add(const struct owners *owners, bool complete, struct channel_list *list);

#endif
