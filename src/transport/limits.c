/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads system limits and raises this process's limit of descriptors. */
#include "transport/limits.h"

#include <stdio.h>
#include <sys/resource.h>

/* Descriptors of a process besides those of links. */
#define DESCRIPTORS_OTHER 256

long limit_read(const char *file, long fallback)
{
	FILE *stream = fopen(file, "re");
	long limit = fallback;

	if (stream && fscanf(stream, "%ld", &limit) != 1)
		limit = fallback;
	if (stream)
		fclose(stream);
	return limit;
}

void limit_descriptors(uint64_t count)
{
	rlim_t wanted = count + DESCRIPTORS_OTHER;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
