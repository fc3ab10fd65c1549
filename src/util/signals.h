/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets the signal handlers and the signal mask of a new process. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGRTMIN_OF_KERNEL 32 /* SIGRTMIN comes after those that the C library uses itself */

/* The kernel's struct sigaction (rt_sigaction). */
struct signal_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/*
 * Whether the C library handles the signal. It hides such signals from its callers, and needs them
 * when threads of a process change the user: without the handler they would end.
 */
static inline bool signal_is_the_librarys(int number)
{
	struct signal_action present = {.handler = SIG_DFL};

	if (number < SIGRTMIN_OF_KERNEL || number >= SIGRTMIN)
		return false;
	syscall(SYS_rt_sigaction, number, NULL, &present, sizeof(present.mask));
	return present.handler != SIG_DFL && present.handler != SIG_IGN;
}

/*
 * Unblocks all signals and sets their default actions, since the parent may have changed them. Uses
 * the syscall for the sake of the signals that the C library hides.
 */
static inline void signals_default(void)
{
	static const struct signal_action by_default = {.handler = SIG_DFL};
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		if (!signal_is_the_librarys(number))
			syscall(SYS_rt_sigaction, number, &by_default, NULL,
				sizeof(by_default.mask));
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
