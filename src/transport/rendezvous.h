/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets the server and the clients meet before messages are sent. One side waits until the other
 * side has written a word into shared memory.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* How long open() waits for admit(), which may have timed out before. */
#define RENDEZVOUS_JOIN_MS 10000

/* Waits until the word is not 0. Returns its value, or 0 after `limit_ms`. */
uint32_t rendezvous_await(const _Atomic uint32_t *word, uint32_t limit_ms);

/* Pauses between two checks of something that sends no notification. */
void rendezvous_nap(void);
