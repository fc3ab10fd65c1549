/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions for the private directories of runs and background loads. The process that
 * makes a directory also locks the directory (flock). The kernel releases the lock when this
 * process and its forked children have ended. A directory that is no longer locked is a leftover,
 * and the next run removes it.
 */
#pragma once

#include "util/caller.h"

/* Older versions used other names and no lock; their directories are left alone. */
#define DIRECTORY_OF_RUN  "/tmp/ipctrace-run-XXXXXX"
#define DIRECTORY_OF_LOAD "/tmp/ipctrace-load-run-XXXXXX"

struct directory {
	char path[sizeof(DIRECTORY_OF_LOAD)]; /* empty: there is none */
	int fd; /* holds the lock; forked processes hold it too, until they exec */
};

/* `pattern` is one of the above. Mode 0700, owned by `owner`. 0 or -errno. */
int directory_make(struct directory *directory, const char *pattern, const struct caller *owner);

/* Removes the directory and its contents. 0, also if there is none, or the first -errno. */
int directory_remove(struct directory *directory);

/*
 * Removes directories of `owner` and of this user that no living process holds, with their contents
 * and everything that transports have noted in them. Follows no links and removes nothing of other
 * users. A failure is logged.
 */
void directories_tidy(const struct caller *owner);
