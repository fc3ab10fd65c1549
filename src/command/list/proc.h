/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass over all processes: who holds what, and in which network namespaces they are. */
#ifndef IPCTRACE_COMMAND_LIST_PROC_H
#define IPCTRACE_COMMAND_LIST_PROC_H

#include "command/list/networks.h"
#include "command/list/owners.h"

/* What the pass could not see. */
struct proc_gaps {
	uint64_t hidden;       /* processes whose descriptors we may not look at */
	bool hid_pid;          /* `pid` is one of them */
	bool within_namespace; /* of pids: there may be processes outside that have no pid here */
};

/*
 * `proc`: "/proc", or a folder like it. `pid`: whose hiding matters; 0: nobody's. Processes and
 * descriptors that vanish meanwhile were never there. 0, -ENOMEM, or -errno of `proc` itself.
 */
int proc_read(const char *proc, uint32_t pid, struct owners *owners, struct networks *networks,
	      struct proc_gaps *gaps);

#endif
