/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that replaces an old one only when there is content worth keeping, so that a failed run
 * leaves the old file alone. Until then the new file has a hidden name beside it (.ipctrace- and
 * sixteen digits). It is removed on close, and when a signal ends the program; only SIGKILL or a
 * crash leaves it behind.
 *
 *	file = atomic_file__open(path, why);
 *	... write to atomic_file__stream(file) ...
 *	atomic_file__commit(file);		renames it to its place
 *	... write more, if there is more ...
 *	atomic_file__close(file, true);
 *
 * Standard output, devices, pipes and descriptors (/dev/stdout, /dev/fd/3) are written directly. So
 * is an old file that cannot be replaced: a mount point, or a file in a folder that is not
 * writable. It is overwritten from its beginning, and the commit truncates the rest of its old
 * contents.
 *
 * The new file has the mode and, if this process may set them, the owner and group of the old file.
 * Other hard links to the old file keep the old contents. Not thread-safe.
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
