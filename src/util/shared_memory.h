/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps memory that a process shares with its later children. Sleeps on a word in it, and wakes the
 * sleepers.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Zeroed; the caller ends it with munmap(). NULL and errno on failure. */
static inline void *shared_memory_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

#define FUTEX_FOREVER UINT64_MAX

/*
 * Sleeps while *word is `seen`, at most `timeout_ns`. Wakeups can be spurious: check the word
 * again. 0, -EAGAIN (the word is not `seen`), -EINTR or -ETIMEDOUT.
 */
int futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns);

/* Wakes all that sleep on the word. Async-signal-safe; preserves errno. */
void futex_wake(_Atomic uint32_t *word);
