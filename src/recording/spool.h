/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a recording for reading, again and again. What can be read only once (a pipe, a socket, a
 * terminal) is first copied to a temporary file without a name.
 */
#pragma once

#include <stdio.h>

/* The first bytes of every recording. */
#define RECORDING_MAGIC     "IPCTRACE"
#define RECORDING_MAGIC_LEN 8

/*
 * `path` - is standard input. The same path is copied once. NULL and errno, and `*remedy` says what
 * to do (static).
 */
FILE *spool_open(const char *path, const char **remedy);
