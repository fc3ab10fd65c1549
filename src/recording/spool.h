/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a recording for reading, again and again. What can be read only once (a pipe, a socket, a
 * terminal) is first copied to a temporary file without a name.
 */
#pragma once

#include <stdio.h>

/*
 * `path` - is standard input. The same path is copied once. NULL and errno, and `*remedy` says what
 * to do (static).
 */
FILE *spool_open(const char *path, const char **remedy);
