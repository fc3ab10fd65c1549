/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds stacks to an explanation made by hand. */
#pragma once

#include "model/explanation.h"
#include "support/stacks.h"

#include <stdlib.h>

/* The first row whose culprit woke the thread; the explanation must have one. */
static inline uint32_t row_of_lock(const struct explanation *explanation)
{
	uint32_t row = 0;

	while (row < explanation->row_cnt && explanation->row[row].role != CAUSE_WOKE)
		row++;
	assert_true(row < explanation->row_cnt);
	return row;
}

/* 40 of 50 sleeps were in take_lock(), and 10 in a function without names. */
static inline void add_lock_stacks(struct explanation *explanation)
{
	static const char *const lock[] = {"__schedule",
					   "futex_wait",
					   "do_syscall_64",
					   "lock_wait",
					   "take_lock (server.c:48)",
					   "handle_request (server.c:56)",
					   "start_thread"};
	const uint32_t unnamed[] = {0};
	struct made_frames frames = make_frames(2, 0, 1, unnamed);
	uint32_t row = row_of_lock(explanation);

	explanation->stack_names = stack_names__new();
	explanation->stack = calloc(2, sizeof(*explanation->stack));
	explanation->stacks_of_row = calloc(explanation->row_cnt, sizeof(uint64_t));
	assert_non_null(explanation->stack_names);
	assert_non_null(explanation->stack);
	assert_non_null(explanation->stacks_of_row);
	add_named_stack(explanation->stack_names, 1, 3, 4, lock);
	frames.frames.head.flags = FRAMES_USER_CUT;
	assert_int_equal(stack_names__frames(explanation->stack_names, &frames.frames), 0);
	explanation->stack[0] =
		(struct explain_stack){.row = row, .stack = 1, .kind = STACK_BLOCKED, .count = 40};
	explanation->stack[1] =
		(struct explain_stack){.row = row, .stack = 2, .kind = STACK_BLOCKED, .count = 10};
	explanation->stack_cnt = 2;
	explanation->stacks_of_row[row] = 50;
}
