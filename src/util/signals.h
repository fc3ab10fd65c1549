/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets the signal handlers and the signal mask of a new process. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Unblocks all signals and sets their default actions, since the parent may have changed them. Uses
 * the syscall, because the C library hides two signals from its callers.
 */
static inline void signals_default(void)
{
	static const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} by_default = {.handler = SIG_DFL};
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		syscall(SYS_rt_sigaction, number, &by_default, NULL, sizeof(by_default.mask));
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
