/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the stacks of each node, and adds up those with equal functions when these are known. */
#include "explain/stacks.h"

#include <errno.h>
#include <stdlib.h>

/* More different ones are not counted. */
#define COUNTS_MAX 65536

/* The number of a stack is below 2^20, and the kinds are few. */
#define STACK_BITS 24
#define STACK_MASK ((1u << STACK_BITS) - 1)

int stack_counts_add(struct tally *counts, const struct causes_tree *tree, const struct unit *unit)
{
	int err = 0;

	for (uint32_t i = 0; i < unit->cause_cnt && !err; i++) {
		const struct cause *cause = &unit->cause[i];
		uint32_t node = tree->node_of[i];
		uint64_t key = (uint64_t)node << 32 | (uint32_t)cause->stack_kind << STACK_BITS |
			       (cause->stack & STACK_MASK);

		if (cause->stack && node != NODE_NONE && counts->cnt < COUNTS_MAX)
			err = tally_add(counts, key, 1, 0);
	}
	return err;
}

static int by_row_and_count(const void *a, const void *b)
{
	const struct explain_stack *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	/* What a thread did says more than where it ended. */
	if ((x->kind == STACK_LEFT) != (y->kind == STACK_LEFT))
		return x->kind == STACK_LEFT ? 1 : -1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

int stack_counts_fill(struct tally *counts, const uint32_t *node_of_row,
		      struct explanation *explanation)
{
	uint32_t node = NODE_NONE, row = UINT32_MAX;

	tally_settle(counts);
	if (!counts->cnt)
		return 0;
	explanation->stack = calloc(counts->cnt, sizeof(*explanation->stack));
	if (!explanation->stack)
		return -ENOMEM;
	/* Those of one node stand together. */
	for (uint32_t i = 0; i < counts->cnt; i++) {
		const struct tally_entry *entry = &counts->entry[i];

		if (entry->key >> 32 != node) {
			node = entry->key >> 32;
			row = 0;
			while (row < explanation->row_cnt && node_of_row[row] != node)
				row++;
		}
		if (row < explanation->row_cnt)
			explanation->stack[explanation->stack_cnt++] = (struct explain_stack){
				.row = row,
				.stack = entry->key & STACK_MASK,
				.kind = entry->key >> STACK_BITS & UINT8_MAX,
				.count = entry->sum,
			};
	}
	qsort(explanation->stack, explanation->stack_cnt, sizeof(*explanation->stack),
	      by_row_and_count);
	return 0;
}

static int compare_contents(const struct explain_stack *x, const struct explain_stack *y,
			    const struct stack_names *names)
{
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return stack_names__compare(names, x->stack, y->stack);
}

/* Those with equal functions stand together, the most frequent one first. */
static int by_contents(const void *a, const void *b, void *names)
{
	return compare_contents(a, b, names) ?: by_row_and_count(a, b);
}

/* Adds up those with equal functions. */
static void stacks_fold(struct explanation *explanation)
{
	struct explain_stack *stack = explanation->stack;
	uint32_t cnt = 0;

	qsort_r(stack, explanation->stack_cnt, sizeof(*stack), by_contents,
		explanation->stack_names);
	for (uint32_t i = 0; i < explanation->stack_cnt; i++) {
		if (cnt && !compare_contents(&stack[cnt - 1], &stack[i], explanation->stack_names))
			stack[cnt - 1].count += stack[i].count;
		else
			stack[cnt++] = stack[i];
	}
	explanation->stack_cnt = cnt;
}

/* Leaves the most frequent ones of each row. */
static void keep_first(struct explanation *explanation)
{
	uint32_t kept = 0, of_row = 0;

	for (uint32_t i = 0; i < explanation->stack_cnt; i++) {
		const struct explain_stack stack = explanation->stack[i];

		of_row = i && explanation->stack[i - 1].row == stack.row ? of_row + 1 : 0;
		explanation->stacks_of_row[stack.row] += stack.count;
		if (of_row < EXPLAIN_STACKS_MAX)
			explanation->stack[kept++] = stack;
	}
	explanation->stack_cnt = kept;
}

int explanation_fold_stacks(struct explanation *explanation, struct stack_names *names)
{
	stack_names__free(explanation->stack_names);
	explanation->stack_names = names;
	if (!names || !explanation->row_cnt)
		explanation->stack_cnt = 0;
	if (!explanation->stack_cnt)
		return 0;
	explanation->stacks_of_row =
		calloc(explanation->row_cnt, sizeof(*explanation->stacks_of_row));
	if (!explanation->stacks_of_row)
		return -ENOMEM;
	stacks_fold(explanation);
	qsort(explanation->stack, explanation->stack_cnt, sizeof(*explanation->stack),
	      by_row_and_count);
	keep_first(explanation);
	return 0;
}
