/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls the futex system call, which the C library does not wrap. */
#include "util/shared_memory.h"

#include "util/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

int futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec timeout = clock_timespec(timeout_ns);
	struct timespec *limit = timeout_ns == FUTEX_FOREVER ? NULL : &timeout;

	return syscall(SYS_futex, word, FUTEX_WAIT, seen, limit, NULL, 0) ? -errno : 0;
}

void futex_wake(_Atomic uint32_t *word)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}
