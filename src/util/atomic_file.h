/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that replaces another when there is something worth keeping in it, so that a run that
 *fails leaves the old one as it was. Until then it lies beside it under a hidden name (.ipctrace-
 *and sixteen digits), which is removed when the file is closed or a signal ends the program. Only
 * SIGKILL, or a crash, leaves it behind.
 *
 *	file = atomic_file__open(path, why);
 *	... write to atomic_file__stream(file) ...
 *	atomic_file__commit(file);		from now on it is at its place
 *	... write more, if there is more ...
 *	atomic_file__close(file, true);
 *
 * Standard output, devices, pipes and descriptors (/dev/stdout, /dev/fd/3) are written directly. So
 *is an old file that no other can replace: a mount point, or one in a folder that cannot be
 *written. It is overwritten from its beginning, and what is left of its old contents goes with the
 *commit.
 *
 * The new file has the mode and, as far as this process may, the owner and group of the old one.
 *Other hard links of the old one keep the old contents. Not for several threads.
 */
#ifndef IPCTRACE_UTIL_ATOMIC_FILE_H
#define IPCTRACE_UTIL_ATOMIC_FILE_H

#include "util/file_place.h"

#include <stdbool.h>
#include <stdio.h>

struct atomic_file;

/* What is at the place of the file if it is closed now without a commit. */
enum atomic_file_rest {
	REST_UNKNOWN, /* a device, a pipe, or an old file that is written directly */
	REST_NOTHING,
	REST_OLD,
	REST_NEW, /* was committed */
};

/*
 * `path` NULL is standard output. NULL and errno on failure, with the reason, and what to do, in
 * `why` (FILE_WHY_LEN). See file_place.h for the links that are followed.
 */
struct atomic_file *atomic_file__open(const char *path, char *why);

/* Belongs to the file. */
FILE *atomic_file__stream(const struct atomic_file *file);

/* Writes out what is buffered and, the first time, puts the file at its place. 0 or -errno. */
int atomic_file__commit(struct atomic_file *file);

enum atomic_file_rest atomic_file__rest(const struct atomic_file *file);

/*
 * With `keep` commits what was written since the last time; without it, that is lost, but on
 * standard output. Frees the file in any case. 0 or -errno.
 */
int atomic_file__close(struct atomic_file *file, bool keep);

/* Removes what is not committed, before an _exit(): the files are not closed any more. */
void atomic_file_remove_all(void);

#endif
