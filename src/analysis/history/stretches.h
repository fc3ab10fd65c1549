/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks through the states of a thread between two instants. A stretch is a time in which the
 * thread does not change its state:
 *
 *	from                                              to
 *	 | stretch | stretch | stretch  |     stretch      |
 *	         SLEEP     WAKE      SWITCH
 */
#pragma once

#include "analysis/history/timeline.h"

struct stretch {
	enum thread_state state; /* STATE_UNKNOWN: a change is missing */
	uint64_t from_ns;
	uint64_t to_ns;
	const struct change *began; /* NULL: it is not known what began the stretch */
	const struct change *ended; /* NULL: the stretch goes on at the end of the walk */
	bool was_runnable;          /* in the stretch before */
};

/* The caller passes it from call to call. */
struct stretch_walk {
	const struct timeline *line;
	size_t next; /* change */
	uint64_t at_ns;
	uint64_t to_ns;
	enum thread_state state; /* at `at_ns` */
	const struct change *began;
	bool was_runnable;
};

/* Begins at `from_ns`, in the state that the last change at or before it shows. */
struct stretch_walk stretch_walk(const struct timeline *line, uint64_t from_ns, uint64_t to_ns);

/* The same for a thread that is known to run at `from_ns`, where a change may also be. */
struct stretch_walk stretch_walk_running(const struct timeline *line, uint64_t from_ns,
					 uint64_t to_ns);

/* When the sleep at `at_ns` began; 0: the thread is awake, or that is not known. */
uint64_t asleep_since(const struct timeline *line, uint64_t at_ns);

/* False: there is no further stretch. The last one ends with the walk. */
bool stretch_next(struct stretch_walk *walk, struct stretch *stretch);

/* The CPU that the thread waits for in this stretch, or one of SEGMENT_CPU_. */
uint16_t stretch_wait_cpu(const struct stretch *stretch);
