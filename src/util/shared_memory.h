/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps memory that a process shares with its later children. */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed; the caller ends it with munmap(). NULL and errno on failure. */
static inline void *shared_memory_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}
