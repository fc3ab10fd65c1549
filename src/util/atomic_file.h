/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces a file only when the caller commits the new file. A failed run therefore leaves the old
 * file unchanged. Until the commit, the new file has no name, or, where the file system has no such
 * files, a hidden one in the same folder (.ipctrace- and sixteen hexadecimal digits).
 *
 *	file = atomic_file__open(path, why);
 *	... write to atomic_file__stream(file) ...
 *	atomic_file__commit(file);		renames the file to its place
 *	... write more, if there is more ...
 *	atomic_file__close(file, true);
 *
 * The new file is removed if it is closed without a commit, or if a signal ends the program.
 * SIGKILL or a crash leaves only a hidden file behind. The new file gets the mode and, if
 * permitted, the owner and group of the old file. The functions are not thread-safe.
 *
 * Some places are written directly, without a hidden file: standard output, devices, pipes and
 * descriptors (/dev/fd/3), mount points, and files in a folder that is not writable. If such a
 * place is a regular file, a commit cuts off old contents behind the new contents.
 */
#pragma once

#include "util/file_place.h"

#include <stdbool.h>
#include <stdio.h>

struct atomic_file;

/* What is at the place if the file is closed now without a commit. */
enum atomic_file_rest {
	REST_UNKNOWN, /* a device, a pipe, or an old file that is written directly */
	REST_NOTHING,
	REST_OLD,
	REST_NEW, /* the new file, which was committed */
};

/*
 * `path` NULL is standard output. NULL and errno on failure; `why` (FILE_WHY_LEN) then has the
 * reason and what to do. See file_place.h for the links that are followed.
 */
struct atomic_file *atomic_file__open(const char *path, char *why);

/* The stream to write to. Owned by `file`. */
FILE *atomic_file__stream(const struct atomic_file *file);

/* Flushes the buffer and, the first time, renames the file to its place. 0 or -errno. */
int atomic_file__commit(struct atomic_file *file);

enum atomic_file_rest atomic_file__rest(const struct atomic_file *file);

/*
 * With `keep` commits the rest. Without `keep` discards what was not committed, except on standard
 * output. Frees the file in any case. 0 or -errno.
 */
int atomic_file__close(struct atomic_file *file, bool keep);

/* Removes all files without a commit. For use before _exit(), which closes no files. */
void atomic_file_remove_all(void);
