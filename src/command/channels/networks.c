/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens netlink sockets in other network namespaces. The calling thread enters a namespace, opens
 * the socket, and returns to the original namespace.
 */
#include "command/channels/networks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void networks_add(struct networks *networks, uint64_t inode, uint32_t pid)
{
	for (size_t i = 0; i < networks->cnt; i++) {
		if (networks->network[i].inode == inode)
			return;
	}
	if (networks->cnt < NETWORKS_MAX)
		networks->network[networks->cnt++] = (struct network){inode, pid};
	else
		networks->unreached++;
}

static int open_diag(void)
{
	int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	return diag < 0 ? -errno : diag;
}

/* The pid can belong to another process by now. */
static int open_namespace(const struct network *network)
{
	char path[64];
	struct stat stat;
	int namespace;

	snprintf(path, sizeof(path), "/proc/%u/ns/net", network->pid);
	namespace = open(path, O_RDONLY | O_CLOEXEC);
	if (namespace < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (!fstat(namespace, &stat) && stat.st_ino == network->inode)
		return namespace;
	close(namespace);
	return -ESRCH;
}

static int open_diag_within(int namespace, int own)
{
	int diag;

	if (setns(namespace, CLONE_NEWNET))
		return -errno;
	diag = open_diag();
	if (!setns(own, CLONE_NEWNET))
		return diag;
	if (diag >= 0)
		close(diag);
	return -EPERM;
}

int network_open_diag(const struct networks *networks, size_t i)
{
	int own, namespace, diag;

	if (!i)
		return open_diag();
	namespace = open_namespace(&networks->network[i]);
	if (namespace < 0)
		return namespace;
	own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	diag = own < 0 ? -errno : open_diag_within(namespace, own);
	if (own >= 0)
		close(own);
	close(namespace);
	return diag;
}
