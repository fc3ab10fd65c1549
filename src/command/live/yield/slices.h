/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares slices, in which a reader of records has its CPU. The kernel's fair server lets threads
 * without real-time priority run for 50 ms before real-time threads, if they had no CPU for long.
 * Between two slices, all threads that wait for the reader's CPU have their turn:
 *
 *	slices_open(&slices);		by the reader
 *	slices_begin(&slices, ns);	it begins to work, after it has slept for at most this time
 *	slices_end(&slices);		it has done all work, and sleeps
 *	slices_close(&slices);
 *
 * A signal ends a slice wherever the reader is, also in a long sort. Without is_alone, all of these
 * do nothing.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The longest slice, and the time that others have after it. */
#define SLICE_NS 1000000
#define TURN_NS  300000

/*
 * In those 50 ms, other threads without real-time priority may take the turns, and no member of a
 * workload. A reader that comes before them, or had no CPU for STARVED_NS, gives turns so long that
 * a message which waits for the whole time waits for 2 slices. A message may wait for the whole
 * time on one CPU after the other. A turn ends early if the reader is alone.
 */
#define LONG_TURN_NS     30000000
#define TURN_STEP_NS     2000000
#define STARVED_NS       1000000
#define STARVED_WHILE_NS 200000000

struct slices {
	/*
	 * Whether there is no thread that the reader could disturb. Async-signal-safe. NULL: the
	 * reader has no slices.
	 */
	bool (*is_alone)(const void *ctx);
	/* Whether it comes before all others without real-time priority. Async-signal-safe, too. */
	bool (*is_first)(const void *ctx);
	const void *ctx;
	bool has_timer;
	volatile sig_atomic_t has_begun; /* what the signal reads */
	uint64_t began_ns;               /* the present slice */
	uint64_t cpu_ns;                 /* the thread's CPU time then */
	uint64_t ended_ns;               /* when it last went to sleep; 0: it has not yet */
	uint64_t starved_until_ns;       /* turns are long until then */
	timer_t timer;
};

/* Without a timer, the reader has no slices (logged as info). */
void slices_open(struct slices *slices);
void slices_begin(struct slices *slices, uint64_t slept_ns);
void slices_end(struct slices *slices);
void slices_close(struct slices *slices);
