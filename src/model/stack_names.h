/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the functions of stacks, by the numbers that a recording gives them. */
#pragma once

#include "bpf/record_stacks.h"

#include <stdbool.h>
#include <stddef.h>

struct stack_names;

struct stack_names *stack_names__new(void);        /* NULL: out of memory */
void stack_names__free(struct stack_names *names); /* NULL allowed */

/* 0 or -ENOMEM. What a recording cannot have is left out. */
int stack_names__frames(struct stack_names *names, const struct record_frames *record);
int stack_names__symbol(struct stack_names *names, const struct record_symbol *record);

void stack_names__stacks(struct stack_names *names, const struct record_stacks *record);

/* The functions of a stack, innermost first; borrowed. */
struct stack_frames {
	const uint32_t *kernel; /* numbers of functions; 0: not known */
	const uint32_t *user;
	uint16_t kernel_cnt;
	uint16_t user_cnt;
	bool kernel_is_cut; /* there are further callers */
	bool user_is_cut;
};

/* False: the recording does not say. */
bool stack_names__find(const struct stack_names *names, uint32_t stack,
		       struct stack_frames *frames);

/* "handle_request (server.c:120)"; NULL: not known. Borrowed. */
const char *stack_names__function(const struct stack_names *names, uint32_t symbol);

/* The STACKS record. All 0: there was none. */
const struct record_stacks *stack_names__counts(const struct stack_names *names);

/*
 * Sorts stacks, as functions of qsort() do: 0 if both have the same functions, in whatever lines of
 * them.
 */
int stack_names__compare(const struct stack_names *names, uint32_t left, uint32_t right);
