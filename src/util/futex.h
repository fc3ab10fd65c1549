/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that sleep on a word in shared memory, or wake the sleepers. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define FUTEX_FOREVER UINT64_MAX

/*
 * Sleeps while *word is `seen`, at most `timeout_ns`. Wakeups can be spurious: check the word
 * again. 0, -EAGAIN (the word is not `seen`), -EINTR or -ETIMEDOUT.
 */
int futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns);

/* Wakes all that sleep on the word. Async-signal-safe; preserves errno. */
void futex_wake(_Atomic uint32_t *word);
