/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a medium that all ends share, and waiting for a word of it. Before messages flow. */
#ifndef IPCTRACE_TRANSPORT_RENDEZVOUS_H
#define IPCTRACE_TRANSPORT_RENDEZVOUS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* How long join() waits to be admitted: admit() may have been called in vain before. */
#define RENDEZVOUS_JOIN_MS 10000

/* Zeroed, and the same memory in all processes forked from here on. NULL and errno on failure. */
void *rendezvous_map(size_t size);
void rendezvous_unmap(void *memory, size_t size);

/* Until the word is not 0 any more. Its value, or 0: not within `limit_ms`. */
uint32_t rendezvous_await(const _Atomic uint32_t *word, uint32_t limit_ms);

/* A nap between two looks at something that nobody tells about. */
void rendezvous_nap(void);

#endif
