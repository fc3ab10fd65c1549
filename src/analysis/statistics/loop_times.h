/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds for how much of its time a receiving thread sleeps: a thread that has time left sleeps
 * between its messages.
 *
 *	receive                                receive
 *	   |  handles it   (asleep)   calls       |
 */
#pragma once

#include "analysis/history/timeline.h"
#include "model/summary.h"

struct loop_times;

struct loop_times *loop_times__new(void); /* NULL: out of memory */
void loop_times__free(struct loop_times *loops);

/*
 * The thread, whose time line is `line`, has received a message. Adds what it did since the one
 * before to `sum`, if that is known. 0 or -ENOMEM.
 */
int loop_times__add(struct loop_times *loops, uint32_t tid, uint64_t recv_ns,
		    const struct timeline *line, struct loop_time *sum);
