/* SPDX-License-Identifier: BSD-2-Clause */
/* Who the processes of a workload run as: the person who typed sudo, not root. */
#ifndef IPCTRACE_WORKLOAD_PRIVILEGES_H
#define IPCTRACE_WORKLOAD_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

struct identity {
	bool drop; /* false: stay who we are */
	uid_t uid;
	gid_t gid;
};

/* From SUDO_UID and SUDO_GID, if we are root. 0 or -errno, logged. */
int privileges_find(struct identity *identity);

/* Gives up root for good, in all threads. 0 or -errno. */
int privileges_drop(const struct identity *identity);

#endif
