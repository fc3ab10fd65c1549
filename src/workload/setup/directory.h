/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private directories: of a run, where endpoints find each other by name, and of a load. The
 * process that has made one holds a lock on it (flock), which the kernel takes away from what is
 * killed: a directory that is not locked was left behind, and the next run removes it.
 */
#ifndef IPCTRACE_WORKLOAD_SETUP_DIRECTORY_H
#define IPCTRACE_WORKLOAD_SETUP_DIRECTORY_H

#include "util/caller.h"

/* Names of their own: programs of before locked nothing, and had others. */
#define DIRECTORY_OF_RUN  "/tmp/ipctrace-run-XXXXXX"
#define DIRECTORY_OF_LOAD "/tmp/ipctrace-load-run-XXXXXX"

struct directory {
	char path[sizeof(DIRECTORY_OF_LOAD)]; /* empty: there is none */
	int fd; /* has the lock; processes that are forked have it, too, until they execute */
};

/* `pattern` is one of the above. Mode 0700, owned by `owner`. 0 or -errno. */
int directory_make(struct directory *directory, const char *pattern, const struct caller *owner);

/* With all that is in it. 0, also if there is none, or the first -errno: something is left. */
int directory_remove(struct directory *directory);

/*
 * Removes the directories of `owner`, and our own, that no living process holds, with all that is
 * in them and all that transports have noted there. Follows no links, and leaves alone whatever is
 * not plainly ours. What cannot be removed is logged.
 */
void directories_tidy(const struct caller *owner);

#endif
