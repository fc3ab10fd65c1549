/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads system limits, raises the number of file descriptors that this process may open, and waits
 * for a word in shared memory.
 */
#include "transport/limits.h"

#include "util/clock.h"
#include "util/read_file.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Descriptors of a process besides those of links. */
#define DESCRIPTORS_OTHER 256

#define NAP_NS            100000

int fd_or_error(int fd, int err)
{
	if (!err)
		return fd;
	close(fd);
	return err;
}

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

void rendezvous_nap(void)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

uint32_t rendezvous_await(const _Atomic uint32_t *word, uint32_t limit_ms)
{
	int64_t until_ms = clock_now_ms() + limit_ms;

	while (!atomic_load(word) && clock_now_ms() < until_ms)
		rendezvous_nap();
	return atomic_load(word);
}
