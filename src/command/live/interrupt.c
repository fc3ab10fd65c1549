/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the signals that ask ipctrace to end, and stops the workload of `ipctrace run`. */
#include "command/live/interrupt.h"

#include "util/clock.h"
#include "workload/workload.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static struct workload *_Atomic watched;
static volatile sig_atomic_t interrupts, first;

/*
 * A write that blocks on a slow reader is restarted after the first interrupt, and fails after the
 * second.
 */
static void catch_interrupts(int flags);

static void on_interrupt(int signal)
{
	struct workload *workload = atomic_load(&watched);

	if (!interrupts++)
		first = signal;
	catch_interrupts(0);
	if (workload)
		workload__stop(workload);
}

static void on_child(int signal)
{
	(void)signal;
}

static void catch_interrupts(int flags)
{
	struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = flags};

	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &interrupt, NULL);
	sigaction(SIGHUP, &interrupt, NULL);
}

void interrupt_setup(void)
{
	struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART};

	catch_interrupts(SA_RESTART);
	sigaction(SIGCHLD, &child, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void interrupt_watch(struct workload *workload)
{
	atomic_store(&watched, workload);
	if (workload && interrupts)
		workload__stop(workload);
}

bool interrupt_happened(void)
{
	return interrupts > 0;
}

int interrupt_signal(void)
{
	return first;
}

bool interrupt_is_second(void)
{
	return interrupts > 1;
}

void interrupt_sleep(uint64_t ns)
{
	struct timespec pause = clock_timespec(ns);

	nanosleep(&pause, NULL);
}
