/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The environment of the user that called sudo. sudo replaces HOME, LOGNAME, MAIL, PATH, SHELL,
 * USER and USERNAME, removes most others, and adds some of its own (SUDO_UID and the like). What it
 * was called with stands in /proc/PID/environ of the sudo process, as long as that is an ancestor
 * of ours and was called by this user.
 */
#ifndef IPCTRACE_UTIL_CALLER_ENVIRONMENT_H
#define IPCTRACE_UTIL_CALLER_ENVIRONMENT_H

#include <sys/types.h>

/* The user's entry in passwd. What is NULL is not known. */
struct account {
	const char *name;
	const char *home;
	const char *shell;
};

/*
 * `theirs` is what sudo was called with; NULL: not known. It holds, with these exceptions:
 *
 *  - `ours`, the environment of this program, is what was given on sudo's command line or set by
 * what sudo started: its variables win. But what sudo has replaced or added is not taken over.
 *  - HOME, LOGNAME, SHELL and USER come from `account` if `theirs` does not have them.
 *  - PATH comes from `ours` if `theirs` does not have it: nothing else knows it.
 *
 * Ends with NULL. Its strings are borrowed, but for those of `account`. NULL: no memory.
 */
char **caller_environment(char *const *ours, char *const *theirs, const struct account *account);

/* What the sudo that user `uid` has called was called with. NULL: there is no such ancestor. */
char **caller_environment_of_sudo(uid_t uid);

#endif
