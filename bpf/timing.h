/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The timing contract between the BPF programs, the tracer and the analysis: how long after an
 * access to a shared end of a channel its record may come.
 *
 * A send or receive call changes a channel first and is counted when it ends. In between its thread
 * may lose the CPU. The analysis waits LATE_NS for such a call; a thread that is delayed for longer
 * is reported by a STARVING record before that time is over:
 *
 *	access               STARVING_NS   + SEARCH_NS    LATE_NS
 *	  0                     80 ms         95 ms      100 ms
 *	--|----------------------|-------------|-----------|---> time
 *	  | runnable, but without a CPU: the call cannot end
 *	                         | the next search finds it
 *	                                       | RECORD_STARVING is there
 *	                                                   | what was accessed meanwhile is settled
 */
#pragma once

#define TIMING_MSEC 1000000ULL

/* From an access to the end of its call, unless the thread is starving. */
#define LATE_NS (100 * TIMING_MSEC)

/* A thread that waits for a CPU for this long, in a call that may have had an access, is starving.
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
