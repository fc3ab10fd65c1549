/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads system limits, and raises the number of file descriptors that this process may open. */
#include "transport/limits.h"
#include "util/read_file.h"

#include <sys/resource.h>

/* Descriptors of a process besides those of links. */
#define DESCRIPTORS_OTHER 256

long limit_read(const char *file, long fallback)
{
	long long limit;

	return read_number("", file, &limit) ? (long)limit : fallback;
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
