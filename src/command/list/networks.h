/* SPDX-License-Identifier: BSD-2-Clause */
/* The network namespaces in which processes live; each has sockets of its own. */
#ifndef IPCTRACE_COMMAND_LIST_NETWORKS_H
#define IPCTRACE_COMMAND_LIST_NETWORKS_H

#include <stddef.h>
#include <stdint.h>

#define NETWORKS_MAX 256

struct network {
	uint64_t inode; /* its name in /proc/PID/ns/net */
	uint32_t pid;   /* of a process in it */
};

/* Zeros are none. The first one added is our own. */
struct networks {
	struct network network[NETWORKS_MAX];
	size_t cnt;
	uint64_t unreached; /* had no room here, or could not be entered */
};

/* Once for each namespace, whatever is added; a `pid` in it. */
void networks_add(struct networks *networks, uint64_t inode, uint32_t pid);

/*
 * A NETLINK_SOCK_DIAG socket that belongs to the namespace, to be closed; the calling thread stays
 * in its own. -errno: -ESRCH if the process is gone, -EPERM without the right to enter.
 */
int network_open_diag(const struct networks *networks, size_t i);

#endif
