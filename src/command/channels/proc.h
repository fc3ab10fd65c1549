/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a function that reads all processes in /proc. The function collects network namespaces
 * and open sockets, pipes and queues.
 */
#pragma once

#include "command/channels/owners.h"

#include <stddef.h>
#include <stdint.h>

struct networks;

/* What the pass could not see. */
struct proc_gaps {
	uint64_t hidden;       /* processes with hidden descriptors */
	uint32_t hid_pid;      /* one of them that is one of `pids` of the filter; 0: none */
	bool within_namespace; /* of pids: processes outside of it are not visible */
};

/*
 * `proc`: "/proc", or a folder like it. `pid`: only these `cnt` processes; NULL: all. Processes and
 * descriptors that vanish meanwhile are ignored. 0, -ENOMEM, or -errno of `proc` itself.
 */
int proc_read(const char *proc, const pid_t *pid, size_t cnt, struct owners *owners,
	      struct networks *networks, struct proc_gaps *gaps);

#define NETWORKS_MAX 256

struct network {
	uint64_t inode; /* as in /proc/PID/ns/net */
	uint32_t pid;   /* a process in it */
};

/* Starts as zeros. The first namespace that is added is that of this process. */
struct networks {
	struct network network[NETWORKS_MAX];
	size_t cnt;
	uint64_t unreached; /* beyond the limit, or impossible to enter */
};

/* Adds a namespace once; `pid` is a process in it. */
void networks_add(struct networks *networks, uint64_t inode, uint32_t pid);

/*
 * Opens a NETLINK_SOCK_DIAG socket in the namespace; the caller closes it. The calling thread stays
 * in its own namespace. -errno: -ESRCH if the process is gone, -EPERM without the right to enter.
 */
int network_open_diag(const struct networks *networks, size_t i);
