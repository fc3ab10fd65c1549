/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines a set of network namespaces. Each network namespace has its own sockets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
