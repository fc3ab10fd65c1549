/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the kernel transport's timer and its clients share. */
#ifndef IPCTRACE_TICK_H
#define IPCTRACE_TICK_H

#ifndef __bpf__
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

/* All times are CLOCK_MONOTONIC, ns. */
struct tick {
	u64 due_ns;    /* when the timer should have run */
	u64 stamp_ns;  /* when it did */
	u64 queued_ns; /* just before clients could see this */
};

/* A power of two. A client that is further behind than this has missed what was written over. */
#define TICKS_CNT 1024

/* A page that the kernel writes and all clients map. */
struct tick_page {
	u64 rounds;  /* how many ticks there have been: the last is ticks[rounds - 1] */
	u64 stopped; /* there will be no more */
	struct tick ticks[TICKS_CNT]; /* by round modulo TICKS_CNT */
};

/*
 * The ring buffer by which clients are woken: its size in bytes, and of a record with its header,
 * which says nothing.
 */
#define TICK_BELL_SIZE   65536
#define TICK_BELL_RECORD 16

/* What tick_start() is called with. */
struct tick_request {
	u64 period_ns;
};

#endif
