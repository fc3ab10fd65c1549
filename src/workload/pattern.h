/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pattern: who sends to whom, and when. One file each, listed in pattern.c. A body runs in the
 * main thread of its process, which is ready in everything but its endpoints, and returns the exit
 * status.
 */
#ifndef IPCTRACE_WORKLOAD_PATTERN_H
#define IPCTRACE_WORKLOAD_PATTERN_H

struct worker;

struct pattern {
	const char *name;    /* the word of --pattern */
	const char *summary; /* one line for people */
	int (*server)(const struct worker *worker);
	int (*client)(const struct worker *worker);
};

/* NULL if there is none of that name. */
const struct pattern *pattern_find(const char *name);

#endif
