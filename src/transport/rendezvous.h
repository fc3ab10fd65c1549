/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a medium that all ends share, and waits for a word in it. It is used before messages
 * are sent.
 */
#ifndef IPCTRACE_TRANSPORT_RENDEZVOUS_H
#define IPCTRACE_TRANSPORT_RENDEZVOUS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* How long open() waits for admit(), which may have timed out before. */
#define RENDEZVOUS_JOIN_MS 10000

/* Maps zeroed memory that all processes forked later share. NULL and errno on failure. */
void *rendezvous_map(size_t size);
void rendezvous_unmap(void *memory, size_t size);

/* Waits until the word is not 0. Returns its value, or 0 after `limit_ms`. */
uint32_t rendezvous_await(const _Atomic uint32_t *word, uint32_t limit_ms);

/* Pauses between two checks of something that sends no notification. */
void rendezvous_nap(void);

#endif
