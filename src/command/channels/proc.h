/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a function that reads all processes in /proc. The function collects network namespaces
 * and open sockets, pipes and queues.
 */
#pragma once

#include "command/channels/networks.h"
#include "command/channels/owners.h"

/* What the pass could not see. */
struct proc_gaps {
	uint64_t hidden;       /* processes with hidden descriptors */
	uint32_t hid_pid;      /* one of them that is one of `pids` of the filter; 0: none */
	bool within_namespace; /* of pids: processes outside of it are not visible */
};

/*
 * `proc`: "/proc", or a folder like it. Processes and descriptors that vanish meanwhile are
 * ignored. 0, -ENOMEM, or -errno of `proc` itself.
 */
int proc_read(const char *proc, struct owners *owners, struct networks *networks,
	      struct proc_gaps *gaps);

/* The same for these processes alone. */
int proc_read_of(const char *proc, const pid_t *pid, size_t cnt, struct owners *owners,
		 struct networks *networks, struct proc_gaps *gaps);
