/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds when CPUs left their idle state for a traced thread (--level deep). IDLE records may be
 * added in any order.
 *
 *	  idle  |  leaving idle  |  awake: handles the interrupt, wakes the thread, switches to it
 *	--------|----------------|-------------------------------|---> time
 *	    wakeup begins      left                            switch
 */
#pragma once

#include "bpf/deep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idle_exit {
	uint64_t left_ns;   /* the first event that shows the CPU awake */
	uint64_t idle_ns;   /* it went idle then */
	uint64_t switch_ns; /* it switched to thread `tid` */
	uint32_t tid;       /* which may be another one than the traced thread that waits */
};

struct idle_exits;

struct idle_exits *idle_exits__new(void); /* NULL: out of memory */
void idle_exits__free(struct idle_exits *exits);

/* 0 or -ENOMEM. */
int idle_exits__add(struct idle_exits *exits, const struct record_idle *record);

/*
 * The last time that the CPU left idle in [from_ns, to_ns], for a thread that waits in this time to
 * run there. False: it was awake all the time, or the record was lost.
 */
bool idle_exits__find(struct idle_exits *exits, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		      struct idle_exit *exit);

/* How many are kept. */
size_t idle_exits__cnt(const struct idle_exits *exits);

/* Forgets those before `horizon_ns`. */
void idle_exits__trim(struct idle_exits *exits, uint64_t horizon_ns);
