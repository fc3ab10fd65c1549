/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the sidecar, a ring of message headers in shared memory. */
#include "workload/member/sidecar.h"

static struct message_header *header_at(const struct sidecar *sidecar, uint64_t number)
{
	return &sidecar->headers[number & (sidecar->capacity - 1)];
}

/*
 * A header is valid while it has its number: the number is cleared first and written last. The
 * magic distinguishes number 0 from a slot that was never used.
 */
void sidecar_put(struct sidecar *sidecar, const struct message_header *header)
{
	struct message_header *at = header_at(sidecar, header->number);

	if (!sidecar->capacity)
		return;
	__atomic_store_n(&at->number, UINT64_MAX, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	at->magic = MESSAGE_MAGIC;
	at->client = header->client;
	at->size = header->size;
	at->stamp_ns = header->stamp_ns;
	at->due_ns = header->due_ns;
	__atomic_store_n(&at->number, header->number, __ATOMIC_RELEASE);
}

bool sidecar_get(const struct sidecar *sidecar, uint64_t number, struct message_header *header)
{
	const struct message_header *at = header_at(sidecar, number);

	if (!sidecar->capacity || __atomic_load_n(&at->number, __ATOMIC_ACQUIRE) != number)
		return false;
	*header = *at;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return header->magic == MESSAGE_MAGIC &&
	       __atomic_load_n(&at->number, __ATOMIC_RELAXED) == number;
}
