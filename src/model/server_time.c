/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what serving threads did, and forgets the smallest culprits. */
#include "model/server_time.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct blame *smallest(struct blame_top *top)
{
	struct blame *least = &top->entry[0];

	for (uint32_t i = 1; i < top->cnt; i++) {
		if (top->entry[i].ns < least->ns)
			least = &top->entry[i];
	}
	return least;
}

static void blame_top_add_one(struct blame_top *top, const struct blame *blame)
{
	for (uint32_t i = 0; i < top->cnt; i++) {
		struct blame *entry = &top->entry[i];

		if (entry->class == blame->class && entry->kind == blame->kind &&
		    entry->tid == blame->tid &&
		    !memcmp(entry->comm, blame->comm, sizeof(entry->comm))) {
			entry->ns += blame->ns;
			return;
		}
	}
	if (top->cnt < BLAME_TOP_MAX)
		top->entry[top->cnt++] = *blame;
	else if (smallest(top)->ns < blame->ns)
		*smallest(top) = *blame;
}

void blame_top_add(struct blame_top *top, const struct blame *blame, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		blame_top_add_one(top, &blame[i]);
}

static int server_time_largest_first(const void *a, const void *b)
{
	const struct blame *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void blame_top_sort(struct blame_top *top)
{
	qsort(top->entry, top->cnt, sizeof(top->entry[0]), server_time_largest_first);
}

void server_time_add(struct server_time *sum, const struct server_time *one)
{
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		sum->state_ns[i] += one->state_ns[i];
	blocked_calls_merge(&sum->blocked, &one->blocked);
	blame_top_add(&sum->blame, one->blame.entry, one->blame.cnt);
}

void server_time_sort(struct server_time *time)
{
	blocked_calls_sort(&time->blocked);
	blame_top_sort(&time->blame);
}

uint64_t server_time_ns(const struct server_time *time)
{
	uint64_t ns = 0;

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		ns += time->state_ns[i];
	return ns;
}

void answer_parts_add(struct answer_parts *parts, uint64_t ns, const struct server_time *did)
{
	if (!ns)
		return;
	parts->calls++;
	parts->ns += ns;
	if (did)
		server_time_add(&parts->did, did);
}

void answer_parts_merge(struct answer_parts *parts, const struct answer_parts *more)
{
	parts->calls += more->calls;
	parts->ns += more->ns;
	server_time_add(&parts->did, &more->did);
}
