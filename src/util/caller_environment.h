/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that rebuild the environment that the user had before sudo. sudo replaces
 * variables such as HOME and PATH, and removes most other variables. The original environment is
 * still in /proc/PID/environ of the sudo process.
 */
#pragma once

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

/* The environment that user `uid` called sudo with. NULL: no ancestor is such a sudo. */
char **caller_environment_of_sudo(uid_t uid);
