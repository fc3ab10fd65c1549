/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends slices of the reader's CPU time by the signal of a timer. */
#include "command/live/yield/slices.h"

#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* No other part of the program uses it, and so does no transport. */
#define SIGNAL_OF_SLICES SIGPROF

static void set_timer(const struct slices *slices, long ns)
{
	const struct itimerspec when = {.it_value.tv_nsec = ns};

	timer_settime(slices->timer, 0, &when, NULL);
}

static uint64_t cpu_now_ns(void)
{
	struct timespec used = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
}

static void begin_slice(struct slices *slices)
{
	slices->began_ns = clock_now_ns();
	slices->cpu_ns = cpu_now_ns();
	set_timer(slices, SLICE_NS);
}

/* The reader needed a CPU, or slept, for `needed_ns` since then, and has a CPU now. */
static void slices_note_wait(struct slices *slices, uint64_t since_ns, uint64_t needed_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - since_ns > needed_ns + STARVED_NS)
		slices->starved_until_ns = now_ns + STARVED_WHILE_NS;
}

static bool owes_long_turns(const struct slices *slices)
{
	return clock_now_ns() < slices->starved_until_ns || slices->is_first(slices->ctx);
}

/* Sleeps until then, or until there is no thread that the reader could disturb. */
static void sleep_until(const struct slices *slices, uint64_t end_ns)
{
	struct timespec step;
	uint64_t now_ns;

	while ((now_ns = clock_now_ns()) < end_ns && !slices->is_alone(slices->ctx)) {
		step = clock_timespec(end_ns - now_ns > TURN_STEP_NS ? now_ns + TURN_STEP_NS
								     : end_ns);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &step, NULL);
	}
}

/* Lets others have their turn. A reader may be kept from its CPU in a slice and after a turn. */
static void give_turn(struct slices *slices)
{
	uint64_t now_ns = clock_now_ns(), turn_ns;

	slices_note_wait(slices, slices->began_ns, cpu_now_ns() - slices->cpu_ns);
	turn_ns = owes_long_turns(slices) ? LONG_TURN_NS : TURN_NS;
	sleep_until(slices, now_ns + turn_ns);
	slices_note_wait(slices, now_ns, turn_ns);
}

/*
 *	 reader          others           reader
 *	|-- SLICE_NS --|--- TURN_NS ---|-- SLICE_NS --|----> time
 *	set            signal          set            signal
 *
 * The timer is set anew after each turn: a reader that was away for long has a whole slice then.
 */
static void take_turns(int signal, siginfo_t *info, void *context)
{
	struct slices *slices = info->si_value.sival_ptr;
	int err = errno;

	(void)signal;
	(void)context;
	if (info->si_code != SI_TIMER || !slices->has_begun)
		return;
	if (!slices->is_alone(slices->ctx))
		give_turn(slices);
	begin_slice(slices);
	errno = err;
}

void slices_open(struct slices *slices)
{
	const struct sigaction action = {.sa_sigaction = take_turns,
					 .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = SIGNAL_OF_SLICES,
				 .sigev_value.sival_ptr = slices};

	if (!slices->is_alone)
		return;
	event._sigev_un._tid = gettid();
	sigaction(SIGNAL_OF_SLICES, &action, NULL);
	slices->has_timer = !timer_create(CLOCK_MONOTONIC, &event, &slices->timer);
	if (!slices->has_timer)
		log_info("the reader of records has its CPU without slices: %s", strerror(errno));
}

void slices_begin(struct slices *slices, uint64_t slept_ns)
{
	if (!slices->has_timer)
		return;
	if (slices->ended_ns)
		slices_note_wait(slices, slices->ended_ns, slept_ns);
	slices->has_begun = true;
	begin_slice(slices);
}

/* A signal that is on its way does nothing, and above all does not set the timer again. */
void slices_end(struct slices *slices)
{
	if (!slices->has_timer)
		return;
	slices->has_begun = false;
	set_timer(slices, 0);
	slices->ended_ns = clock_now_ns();
}

void slices_close(struct slices *slices)
{
	if (slices->has_timer)
		timer_delete(slices->timer);
	slices->has_timer = false;
}
