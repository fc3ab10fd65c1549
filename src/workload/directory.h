/* SPDX-License-Identifier: BSD-2-Clause */
/* The private directory of a run, where endpoints find each other by name. */
#ifndef IPCTRACE_WORKLOAD_DIRECTORY_H
#define IPCTRACE_WORKLOAD_DIRECTORY_H

#include "caller.h"

struct directory {
	char path[sizeof("/tmp/ipctrace-XXXXXX")]; /* empty: there is none */
	int fd;
};

/* Mode 0700, owned by `owner`. 0 or -errno, logged. */
int directory_make(struct directory *directory, const struct caller *owner);

/* With what is in it. */
void directory_remove(struct directory *directory);

#endif
