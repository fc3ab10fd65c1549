/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "shm". Messages lie in rings of shared memory, and a receiver without
 * messages sleeps on a futex. Each receiver has one futex word for all its rings. The word is 1
 * while the receiver sleeps or is about to sleep.
 *
 *	receiver: asleep = 1; full barrier; check the rings; sleep while asleep == 1
 *	sender:   message into the ring; full barrier; if asleep == 1: asleep = 0, wake
 *
 * No wakeup is lost. A receiver that finds the message in its check does not sleep. Otherwise the
 * sender finds 1 in the word, sets the word to 0, and wakes the receiver. If the receiver is only
 * about to sleep, the kernel finds 0 in the word and refuses the sleep.
 *
 * A message to an awake receiver needs no system call. If several senders see the 1, only the
 * sender that changes the word to 0 makes the call. A late wakeup may end a later sleep, which is
 * harmless.
 */
#include "transport/rings.h"
#include "util/shared_memory.h"

#include <errno.h>

static int shm_ring(struct end *end, uint32_t seat)
{
	_Atomic uint32_t *asleep = &medium_seat(end->medium, seat)->asleep;

	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(asleep, memory_order_relaxed) && atomic_exchange(asleep, 0))
		futex_wake(asleep);
	return 0;
}

static int shm_wait(struct end *end)
{
	_Atomic uint32_t *asleep = &medium_seat(end->medium, end->seat)->asleep;
	int err = 0;

	atomic_store_explicit(asleep, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!rings_ready(end))
		err = futex_wait(asleep, 1, FUTEX_FOREVER);
	atomic_store_explicit(asleep, 0, memory_order_relaxed);
	return err == -EINTR ? err : 0;
}

static const struct bell shm_bell = {
	.ring = shm_ring,
	.wait = shm_wait,
};

static const char *shm_refuse(const struct workload_spec *spec)
{
	if (spec->reader != READER_BLOCK)
		return "a futex has no descriptor that poll or epoll could watch: use "
		       "--reader block, or --transport eventfd";
	return NULL;
}

const struct transport_ops shm_transport = {
	.name = "shm",
	.summary = "shared memory; a receiver sleeps on a futex",
	.id = TRANSPORT_SHM,
	.refuse = shm_refuse,
	.bell = &shm_bell,
	RINGS_HOOKS,
};
