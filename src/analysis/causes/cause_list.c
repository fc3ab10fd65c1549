/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up causes of one kind: what is spent for one purpose by one thread because of one culprit.
 * The last entries of the list are kept free for what is not known of each part and cost.
 */
#include "analysis/causes/cause_list.h"

#include "container/step_limit.h"
#include "model/blocked_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define KEPT_FREE (NR_CAUSE_PARTS * NR_COSTS)

_Static_assert(KEPT_FREE < CAUSES_MAX, "room for culprits");

/* What comes before `tid` in a cause is compared at once, because every cause is compared often. */
_Static_assert(offsetof(struct cause, tid) == sizeof(uint64_t) + sizeof(uint32_t), "no gaps");

static bool cause_list_is_same(const struct cause *a, const struct cause *b)
{
	return !memcmp(a, b, offsetof(struct cause, tid)) && a->tid == b->tid &&
	       a->by.class == b->by.class && a->by.kind == b->by.kind && a->by.tid == b->by.tid &&
	       !strcmp(a->function, b->function);
}

static struct cause *cause_list_find(struct cause_list *list, const struct cause *cause)
{
	for (uint32_t i = 0; i < list->cnt; i++) {
		step_limit_spend(1);
		if (cause_list_is_same(&list->cause[i], cause))
			return &list->cause[i];
	}
	return NULL;
}

static void add_to(struct cause *known, const struct cause *cause)
{
	known->by.ns += cause->by.ns;
	if (cause->from_ns < known->from_ns)
		known->from_ns = cause->from_ns;
	if (cause->spare_cpu != known->spare_cpu)
		known->spare_cpu = BLAME_CPU_SEVERAL;
	if (cause->asked_ns > known->asked_ns)
		known->asked_ns = cause->asked_ns;
	if (!failed_call_is_same(&cause->failed, &known->failed))
		known->failed = (struct failed_call){0};
	if (strcmp(cause->disk, known->disk))
		known->disk[0] = '\0';
	known->minor += cause->minor;
	known->major += cause->major;
	if (cause->by.cpu != known->by.cpu)
		known->by.cpu = BLAME_CPU_SEVERAL;
}

static struct cause unknown_of(const struct cause *cause)
{
	return (struct cause){
		.part = cause->part,
		.cost = cause->cost,
		.role = CAUSE_UNKNOWN,
		.call = CALL_UNKNOWN,
		.from_ns = cause->from_ns,
		.by = {.class = BLAME_UNKNOWN, .cpu = BLAME_CPU_UNKNOWN, .ns = cause->by.ns},
	};
}

static uint16_t append_cause(struct cause_list *list, const struct cause *cause)
{
	list->cause[list->cnt++] = *cause;
	return list->cnt;
}

uint16_t cause_list_add(struct cause_list *list, const struct cause *cause)
{
	struct cause *known = cause_list_find(list, cause), unknown;

	if (known) {
		add_to(known, cause);
		return known - list->cause + 1;
	}
	if (list->cnt < CAUSES_MAX - KEPT_FREE)
		return append_cause(list, cause);
	if (cause->parent)
		return 0;
	unknown = unknown_of(cause);
	known = cause_list_find(list, &unknown);
	if (known)
		add_to(known, &unknown);
	else
		append_cause(list, &unknown);
	return 0;
}

void cause_list_append(struct cause_list *list, const struct cause *cause, uint32_t cnt,
		       enum cause_part from, enum cause_part to)
{
	uint16_t *number = list->place;

	for (uint32_t i = 0; i < cnt; i++) {
		struct cause moved = cause[i];

		number[i] = 0;
		if (moved.part != from || (moved.parent && !number[moved.parent - 1]))
			continue;
		moved.part = to;
		moved.parent = moved.parent ? number[moved.parent - 1] : 0;
		number[i] = cause_list_add(list, &moved);
	}
}

/* Whether entry `i` has to come before entry `j`. */
static bool cause_list_is_before(const struct cause_list *list, uint16_t i, uint16_t j)
{
	uint64_t i_ns = list->cause[i].from_ns, j_ns = list->cause[j].from_ns;

	return i_ns != j_ns ? i_ns < j_ns : i < j;
}

/* Almost sorted already, in most cases. */
static void sort_numbers(struct cause_list *list)
{
	uint16_t *order = list->order;

	for (uint32_t i = 0; i < list->cnt; i++) {
		uint32_t at = i;

		for (; at && cause_list_is_before(list, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
		step_limit_spend(i - at);
	}
}

static bool is_sorted(const struct cause_list *list)
{
	for (uint32_t i = 1; i < list->cnt; i++) {
		if (list->cause[i].from_ns < list->cause[i - 1].from_ns)
			return false;
	}
	return true;
}

/* What follows a cause begins when that one begins, or later. */
void cause_list_sort(struct cause_list *list)
{
	if (is_sorted(list))
		return;
	sort_numbers(list);
	memcpy(list->old, list->cause, list->cnt * sizeof(list->old[0]));
	for (uint32_t i = 0; i < list->cnt; i++)
		list->place[list->order[i]] = i;
	for (uint32_t i = 0; i < list->cnt; i++) {
		list->cause[i] = list->old[list->order[i]];
		if (list->cause[i].parent)
			list->cause[i].parent = list->place[list->cause[i].parent - 1] + 1;
	}
}
