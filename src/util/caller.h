/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user that called sudo. Everything that is started on this user's behalf runs as this user:
 * the workload with its handlers, loads, and commands.
 */
#ifndef IPCTRACE_UTIL_CALLER_H
#define IPCTRACE_UTIL_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

struct caller {
	bool is_other; /* than the program's own user; false: nothing below is set */
	uid_t uid;
	gid_t gid;
	gid_t *group; /* supplementary ones */
	size_t group_cnt;
	char **environment; /* ends with NULL, see caller_environment.h; NULL: stays as it is */
};

/*
 * From SUDO_UID and SUDO_GID, if the program runs as root. Is looked for once, in one thread, and
 * lives as long as the program does. NULL, after one clear line on stderr, if these are wrong or
 * there is no memory.
 */
const struct caller *caller_find(void);

/* In a child: gives up root for good, in all threads, and takes over the environment. 0 or -errno.
 */
int caller_become(const struct caller *caller);

#endif
