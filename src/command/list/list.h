/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace list`. */
#ifndef IPCTRACE_COMMAND_LIST_LIST_H
#define IPCTRACE_COMMAND_LIST_LIST_H

struct list_options;

/* The exit status. */
int list_run(const struct list_options *options);

#endif
