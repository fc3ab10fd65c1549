/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guard: a process that cleans up when this process is gone, even if that was killed. It waits
 * until no process holds the other end of its pipe, which this process and its later children
 * inherit.
 */
#pragma once

#include <sys/types.h>

struct guard {
	pid_t pid; /* 0: none */
	int pipe;  /* write end of the pipe, which is never written to */
};

/* `name` is the guard's own. `clean_up` finds what it needs in shared memory. 0 or -errno. */
int guard_start(struct guard *guard, const char *name, void (*clean_up)(void *ctx), void *ctx);

/* Ends the guard without a clean-up. One that was never started (all zeros) may be ended. */
void guard_end(const struct guard *guard);
