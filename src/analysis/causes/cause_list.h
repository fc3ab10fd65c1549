/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a list of causes, which adds up those of one kind. The causes without a parent add up to
 * the time that was added, however many there are.
 */
#pragma once

#include "model/cause.h"

struct cause_list {
	uint32_t cnt;
	struct cause cause[CAUSES_MAX];

	/* Working space, large for a stack. */
	struct cause old[CAUSES_MAX];
	uint16_t order[CAUSES_MAX];
	uint16_t place[CAUSES_MAX];
};

/*
 * Adds `cause->by.ns` to the cause of that kind. Kinds that find no room count as not known in
 * their part and cost. Returns what the causes that follow this one have as `parent`; 0: there is
 * no room for it, or its parent has none.
 */
uint16_t cause_list_add(struct cause_list *list, const struct cause *cause);

/* Adds the causes of part `from` of another list, with those that follow them, to part `to`. */
void cause_list_append(struct cause_list *list, const struct cause *cause, uint32_t cnt,
		       enum cause_part from, enum cause_part to);

/* In the order of time of their begin. A cause stays behind the one that it follows. */
void cause_list_sort(struct cause_list *list);
