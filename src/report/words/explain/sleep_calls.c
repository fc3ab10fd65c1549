/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts system calls by what a thread that sleeps in them waits for. */
#include "report/words/explain/sleep_calls.h"

#include "model/blocked_calls.h"
#include "report/words/labels.h"

#include <stddef.h>
#include <string.h>

#define CALLS_MAX 12

static const char *const calls[NR_SLEEP_CALLS][CALLS_MAX] = {
	/* Some wait for a lock in short turns, as interpreters do. */
	[SLEEP_LOCK] = {"futex", "futex_wait", "futex_waitv"},
	[SLEEP_PAUSE] = {"nanosleep", "clock_nanosleep"},
	[SLEEP_DISK] = {"fsync", "fdatasync", "sync_file_range", "syncfs", "pread64", "pwrite64",
			"openat", "io_getevents", "msync", "fallocate", "ftruncate"},
	[SLEEP_RECEIVE] = {"recvfrom", "recvmsg", "read", "poll", "ppoll", "select", "epoll_wait",
			   "epoll_pwait"},
};

enum sleep_call sleep_call_of(const char *arch, uint16_t call)
{
	const char *name;

	if (call == CALL_UNKNOWN || call == CALL_OTHERS || call == CALL_STOPPED ||
	    call == CALL_OUTSIDE)
		return SLEEP_UNKNOWN;
	name = SYSCALL(arch, call);
	for (int kind = SLEEP_UNKNOWN; kind < NR_SLEEP_CALLS; kind++) {
		for (int i = 0; i < CALLS_MAX && calls[kind][i]; i++) {
			if (!strcmp(name, calls[kind][i]))
				return kind;
		}
	}
	return SLEEP_UNKNOWN;
}
