/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace list`: shows the local channels of this machine with both ends. */
#ifndef IPCTRACE_COMMAND_LIST_LIST_H
#define IPCTRACE_COMMAND_LIST_LIST_H

struct list_options;

/* Returns the exit status. */
int list_run(const struct list_options *options);

#endif
