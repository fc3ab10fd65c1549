/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals of a process that begins a life of its own. */
#ifndef IPCTRACE_UTIL_SIGNALS_H
#define IPCTRACE_UTIL_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * None is blocked, ignored or handled: whoever forked it may have done all that, for itself. The
 * system call, because the C library keeps two signals from its callers.
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

#endif
