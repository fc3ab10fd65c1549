/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a command's result into an exit status. Ensures that a failed command logs an error. */
#pragma once

/* The exit status for a wrong command line, as in most programs (argp's own is 64). */
#define EXIT_USAGE 2

/* The exit status if --stop-at has ended tracing. */
#define EXIT_STOPPED 3

/*
 * The exit status of a command with the result `err` (0 or -errno). Errors are logged where their
 * reason is known. If none was logged, this function logs what it knows.
 */
int failure_status(const char *command, int err);
