/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines the memory through which a timer in the kernel sends messages to clients. Also defines
 * the request that starts the timer.
 */
#pragma once

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

/* A power of two. A client that is further behind has missed ticks that were written over. */
#define TICKS_CNT 1024

/* A page that the kernel writes and all clients map. */
struct tick_page {
	u64 rounds;                   /* number of ticks: the last is ticks[rounds - 1] */
	u64 stopped;                  /* no tick will follow */
	struct tick ticks[TICKS_CNT]; /* by round modulo TICKS_CNT */
};

/* The ring buffer that wakes the clients: bytes of all, and of an empty record with its header. */
#define TICK_BELL_SIZE   65536
#define TICK_BELL_RECORD 16

/* The argument of tick_start(). */
struct tick_request {
	u64 period_ns;
};
