/* SPDX-License-Identifier: BSD-2-Clause */
/* What limits the memory of this process, for the words of an error. */
#ifndef IPCTRACE_UTIL_MEMORY_H
#define IPCTRACE_UTIL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_REMEDY_LEN 512
#define MEMORY_PATH_LEN   256

/* In bytes; MEMORY_UNLIMITED: there is no such limit. */
#define MEMORY_UNLIMITED UINT64_MAX
struct memory_limits {
	uint64_t addresses;                /* RLIMIT_AS */
	uint64_t data;                     /* RLIMIT_DATA */
	uint64_t cgroup;                   /* the least of its own and those above */
	char cgroup_path[MEMORY_PATH_LEN]; /* the file that has it */
};

/* Those of this process. `root` stands before the paths that are read: "", but in tests. */
void memory_limits_read(const char *root, struct memory_limits *limits);

/* What to do about too little memory under these limits: the end of an error's line. */
void memory_limits_remedy(const struct memory_limits *limits, char text[MEMORY_REMEDY_LEN]);

/* Both, for this process. Returns `text`. */
const char *memory_remedy(char text[MEMORY_REMEDY_LEN]);

/* Whether this process cannot have as much more as a thread needs: then EAGAIN speaks of memory. */
bool memory_is_short(void);

#endif
