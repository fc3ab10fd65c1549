/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ends of a medium exist. */
#include "transport/limits.h"
#include "transport/roll.h"
#include "util/clock.h"
#include "util/futex.h"

#include <errno.h>
#include <sys/mman.h>

static size_t roll_size(uint32_t clients)
{
	return sizeof(struct roll) + (clients + 1) * sizeof(_Atomic uint32_t);
}

struct roll *roll_new(uint32_t clients)
{
	struct roll *roll = mmap(NULL, roll_size(clients), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (roll == MAP_FAILED)
		return NULL;
	roll->clients = clients;
	return roll;
}

void roll_free(struct roll *roll)
{
	if (roll)
		munmap(roll, roll_size(roll->clients));
}

void roll_enter(struct roll *roll, uint32_t seat)
{
	atomic_store(&roll->here[seat], 1);
	futex_wake(&roll->here[seat]);
}

bool roll_has(const struct roll *roll, uint32_t seat)
{
	return atomic_load(&roll->here[seat]);
}

int roll_await(struct roll *roll, uint32_t seat)
{
	uint64_t until_ns = clock_now_ns() + TRANSPORT_WAIT_NS;

	while (!roll_has(roll, seat)) {
		uint64_t now_ns = clock_now_ns();

		if (now_ns >= until_ns)
			return -ETIMEDOUT;
		futex_wait(&roll->here[seat], 0, until_ns - now_ns);
	}
	return 0;
}
