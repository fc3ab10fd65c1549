/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that read single lines of small files, such as the files of /proc and /sys.
 * The parameter `root` is a prefix for every path. `root` is "" except in tests, which pass a
 * folder of prepared files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Room for every line that is read with it. */
#define FILE_LINE_LEN 512

/*
 * The first line of a file without its newline. False: there is no such file, or the line is empty.
 */
bool read_line(const char *root, const char *path, char *line, size_t size);

/* The number at the beginning of a file. False: there is none. */
bool read_number(const char *root, const char *path, long long *number);

/*
 * The rest of the first line that begins with `words`, without leading blanks. False: no such line.
 */
bool read_field(const char *root, const char *path, const char *words, char *rest, size_t size);

/* Whether the file or folder exists. */
bool is_there(const char *root, const char *path);
