/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines time limits for the BPF programs, the tracer and the analysis.
 *
 * A send or receive call first accesses a channel (one direction of a socket, pipe or queue). The
 * access is recorded when the call ends. In between, the thread may lose the CPU. The analysis
 * waits LATE_NS for the end of such a call. If a thread waits for a CPU longer than STARVING_NS, a
 * STARVING record reports this thread before LATE_NS is over:
 *
 *	access               STARVING_NS   + SEARCH_NS    LATE_NS
 *	  0                     80 ms         95 ms      100 ms
 *	--|----------------------|-------------|-----------|---> time
 *	  | runnable, but without a CPU: the call cannot end
 *	                         | the next search finds the thread
 *	                                       | RECORD_STARVING is there
 *	                                                   | the analysis stops waiting
 */
#pragma once

#define TIMING_MSEC 1000000ULL

/* From an access to the end of its call, unless the thread is starving. */
#define LATE_NS (100 * TIMING_MSEC)

/*
 * A thread that waits for a CPU for this long, in a call that may have had an access, is starving.
 */
#define STARVING_NS (80 * TIMING_MSEC)

/* The search for such threads is not repeated sooner: on a machine with many it takes its time. */
#define SEARCH_NS (15 * TIMING_MSEC)

/* The ring buffer is drained, and threads are searched for, at least this often. */
#define DRAIN_NS (50 * TIMING_MSEC)

/* A baseline is believed when no access has contradicted it for this long. */
#define QUIET_NS LATE_NS

/* A CPU hands out its staged records at this age: nothing younger than they are can be settled. */
#define STAGE_AGE_NS (10 * TIMING_MSEC)

_Static_assert(STARVING_NS + SEARCH_NS < LATE_NS, "starvation is known before calls are settled");
_Static_assert(DRAIN_NS + SEARCH_NS < LATE_NS, "a thread that goes on starving is reported again");
_Static_assert(QUIET_NS >= LATE_NS, "a baseline outlasts the calls that may contradict it");
_Static_assert(STAGE_AGE_NS < DRAIN_NS, "staged records arrive with the next drain");
