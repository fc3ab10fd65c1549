/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a guard, a child process that cleans up when its parent has ended, even by SIGKILL.
 * Only the parent and its later children hold the write end of a pipe. The guard cleans up when no
 * process holds this end any more.
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
