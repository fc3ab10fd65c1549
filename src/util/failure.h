/* SPDX-License-Identifier: BSD-2-Clause */
/* How a command ends: no failure is silent. */
#ifndef IPCTRACE_UTIL_FAILURE_H
#define IPCTRACE_UTIL_FAILURE_H

/* The exit status of a wrong command line, as in other programs; argp's own is 64. */
#define EXIT_USAGE 2

/*
 * The exit status of a command that came to `err` (0 or -errno). An error is said where the user's
 * words for it are known; should none have been, this says what is known.
 */
int failure_status(const char *command, int err);

#endif
