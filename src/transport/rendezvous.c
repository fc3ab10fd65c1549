/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared memory in which ends find each other. */
#include "transport/rendezvous.h"
#include "util/clock.h"

#include <sys/mman.h>
#include <time.h>

#define NAP_NS 100000

void *rendezvous_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void rendezvous_unmap(void *memory, size_t size)
{
	munmap(memory, size);
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
