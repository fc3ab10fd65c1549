/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds which stacks threads had lately (--stacks), and finds the one that a thread had in a
 * stretch of time. STACK records may be added in any order.
 */
#pragma once

#include "bpf/record_stacks.h"

#include <stdbool.h>
#include <stddef.h>

/* So many are kept, for at most so long. */
#define STACK_TIMES_MAX    (1u << 17)
#define STACK_TIMES_MAX_NS 60000000000ULL

struct stack_times;

struct stack_times *stack_times__new(void); /* NULL: out of memory */
void stack_times__free(struct stack_times *times);

/* 0 or -ENOMEM. */
int stack_times__add(struct stack_times *times, const struct record_stack *record);

struct stack_query {
	uint32_t tid;
	bool is_asleep; /* what it slept in; else what it did on a CPU */
	bool has_cpu;   /* on this one: */
	uint32_t cpu;
	uint64_t from_ns;
	uint64_t to_ns;
};

struct stack_answer {
	uint32_t stack;
	enum stack_kind kind;
};

/*
 * The stack of the sleep that covers most of the time. On a CPU, that of the first tick in it, or
 * else of where the thread left the CPU on which it ran for most of it. False: none is known.
 */
bool stack_times__find(struct stack_times *times, const struct stack_query *query,
		       struct stack_answer *answer);

/* How many stacks of all threads are kept. */
size_t stack_times__cnt(const struct stack_times *times);

/* All records from before `before_ns` are here: forgets what is too old. */
void stack_times__trim(struct stack_times *times, uint64_t before_ns);
