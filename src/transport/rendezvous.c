/* SPDX-License-Identifier: BSD-2-Clause */
/* Polls a word in shared memory until another process has set the word. */
#include "transport/rendezvous.h"
#include "util/clock.h"

#include <time.h>

#define NAP_NS 100000

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
