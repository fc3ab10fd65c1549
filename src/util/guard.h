/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a guard, a process that cleans up when the process that started it has ended, even by
 * SIGKILL. The guard reads a pipe whose other end only that process and its later children have.
 * It therefore notices when the last of them is gone.
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
