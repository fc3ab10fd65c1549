/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the caller, the user that called sudo. Workloads, background loads and commands run as
 * the caller, not as root. sudo replaces variables such as HOME and PATH, and removes most other
 * variables. The original environment is still in /proc/PID/environ of the sudo process.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* The user's entry in passwd. NULL: not known. */
struct account {
	const char *name;
	const char *home;
	const char *shell;
};

/*
 * `theirs` is the environment that sudo was called with; NULL: not known. The result is `theirs`,
 * with these exceptions:
 *
 * - `ours`, the environment of this program, has what was set on sudo's command line or by a
 *   program that sudo started: its variables win, except those that sudo replaces or adds.
 * - HOME, LOGNAME, SHELL and USER come from `account` if `theirs` does not have them.
 * - PATH comes from `ours` if `theirs` does not have it.
 *
 * Ends with NULL. Its strings are borrowed, except those of `account`. NULL: out of memory.
 */
char **caller_environment(char *const *ours, char *const *theirs, const struct account *account);

struct caller {
	bool is_other; /* another user than the program's own; false: nothing below is set */
	uid_t uid;
	gid_t gid;
	gid_t *group; /* supplementary groups */
	size_t group_cnt;
	char **environment; /* ends with NULL, see caller_environment(); NULL: unchanged */
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
