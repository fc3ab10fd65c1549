/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the memory limits of this process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_REMEDY_LEN 512
#define MEMORY_PATH_LEN   256

/* In bytes. MEMORY_UNLIMITED: no such limit. */
#define MEMORY_UNLIMITED UINT64_MAX
struct memory_limits {
	uint64_t addresses;                /* RLIMIT_AS */
	uint64_t data;                     /* RLIMIT_DATA */
	uint64_t cgroup;                   /* the lowest of its own group and the ancestors */
	char cgroup_path[MEMORY_PATH_LEN]; /* the file with this limit */
};

/* Reads the limits of this process. `root` stands before all paths: "", except in tests. */
void memory_limits_read(const char *root, struct memory_limits *limits);

/* The remedy for a lack of memory under these limits, as the end of an error message. */
void memory_limits_remedy(const struct memory_limits *limits, char text[MEMORY_REMEDY_LEN]);

/* Reads the limits of this process and returns the remedy in `text`. */
const char *memory_remedy(char text[MEMORY_REMEDY_LEN]);

/*
 * Whether this process cannot allocate as much as a new thread needs: EAGAIN then means a lack of
 * memory.
 */
bool memory_is_short(void);
