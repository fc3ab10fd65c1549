/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adapts what this process was started with: limits that are too low for it, and standard streams
 * that are closed. Programs that the user names get the limits that this process had.
 */
#pragma once

#include <stdbool.h>

#define FILES_REMEDY_LEN 128

/* The least stack, in bytes. */
#define STACK_LEAST (512u << 10)

/*
 * Opens those of the descriptors 0 to 2 that are closed, so that no other file gets their numbers:
 * what is meant for stdout or stderr would be written into it. As before, writing to stdout or
 * stderr and reading from stdin then fail with EBADF.
 */
void standard_streams_open(void);

/*
 * Raises the soft limits of open files and of the stack as far as the hard limits allow. Before
 * the first thread is made. False: the stack may not grow to STACK_LEAST.
 */
bool process_limits_raise(void);

/* Restores the limits of before. Async-signal-safe: for a child that is about to execute. */
void process_limits_restore(void);

/* What to do if no more files can be opened (EMFILE). Returns `text`. */
const char *files_remedy(char text[FILES_REMEDY_LEN]);

/* Whether the limit of open files is below what tracing needs: errors then mean a lack of these. */
bool files_are_few(void);
