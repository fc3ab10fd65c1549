/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/ordered_events.h"

#include "analysis/container/deque.h"
#include "analysis/container/time_search.h"
#include "analysis/work.h"

#include <errno.h>
#include <stdlib.h>

struct ordered_events {
	struct ordered_event *act;
	struct deque row; /* of these */
	bool is_mixed;    /* the last ones are not in order yet */
};

struct ordered_events *ordered_events__new(void)
{
	return calloc(1, sizeof(struct ordered_events));
}

void ordered_events__free(struct ordered_events *acts)
{
	if (!acts)
		return;
	deque_free(&acts->row, &acts->act, sizeof(*acts->act));
	free(acts);
}

static int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* One call may send several messages, one after the other: all of them began with it. */
static int compare_acts(const void *a, const void *b)
{
	const struct ordered_event *x = a, *y = b;
	int order = order_of(x->at_ns, y->at_ns);

	if (!order)
		order = order_of(x->end_ns, y->end_ns);
	return order ? order : order_of(x->position, y->position);
}

int ordered_events__add(struct ordered_events *acts, const struct ordered_event *act)
{
	size_t cnt = acts->row.cnt;

	if (cnt == ORDERED_EVENTS_MAX)
		return -ENOSPC;
	if (deque_reserve(&acts->row, &acts->act, 1, sizeof(*act)))
		return -ENOMEM;
	acts->is_mixed |= cnt && compare_acts(&acts->act[cnt - 1], act) > 0;
	acts->act[cnt] = *act;
	acts->row.cnt++;
	return 0;
}

const struct ordered_event *ordered_events__before(struct ordered_events *acts, uint64_t before_ns,
						   size_t *cnt)
{
	struct ordered acts_ordered;

	if (acts->is_mixed && work_spend_sort(acts->row.cnt))
		qsort(acts->act, acts->row.cnt, sizeof(*acts->act), compare_acts);
	acts->is_mixed = false;
	acts_ordered = TIME_SEARCH(acts->act, acts->row.cnt, at_ns);
	*cnt = before_ns ? time_search_count(acts_ordered, before_ns - 1, acts->row.cnt) : 0;
	return acts->act;
}

void ordered_events__drop(struct ordered_events *acts, size_t cnt)
{
	deque_drop(&acts->row, &acts->act, cnt, sizeof(*acts->act));
}
