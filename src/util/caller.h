/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the caller, the user that called sudo. Workloads, background loads and commands run as
 * the caller, not as root.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct caller {
	bool is_other; /* another user than the program's own; false: nothing below is set */
	uid_t uid;
	gid_t gid;
	gid_t *group; /* supplementary groups */
	size_t group_cnt;
	char **environment; /* ends with NULL, see caller_environment.h; NULL: unchanged */
};

/*
 * Finds the user by SUDO_UID and SUDO_GID if the program runs as root. The result is found once, by
 * one thread, and lives as long as the program. NULL, after one line on stderr: the variables are
 * wrong, or there is no memory.
 */
const struct caller *caller_find(void);

/*
 * In a child: drops root for good, in all threads, and sets the environment. Without another user
 * it drops what the program has more than its user, in the calling thread (util/rights.h). 0 or
 * -errno.
 */
int caller_become(const struct caller *caller);
