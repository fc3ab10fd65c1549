/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects events in any order. Sorts the events by time when the caller reads events. */
#include "analysis/attach/ordered_events.h"

#include "container/time_search.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

void ordered_events_clean(struct ordered_events *events)
{
	deque_free(&events->deque, &events->event, sizeof(*events->event));
}

static int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Messages of one call have its begin in common, and are sent one after the other. */
static int ordered_events_compare(const void *a, const void *b)
{
	const struct ordered_event *x = a, *y = b;
	int order = order_of(x->at_ns, y->at_ns);

	if (!order)
		order = order_of(x->end_ns, y->end_ns);
	return order ? order : order_of(x->position, y->position);
}

int ordered_events_add(struct ordered_events *events, const struct ordered_event *event)
{
	size_t cnt = events->deque.cnt;

	if (cnt == ORDERED_EVENTS_MAX)
		return -ENOSPC;
	if (deque_reserve(&events->deque, &events->event, 1, sizeof(*event)))
		return -ENOMEM;
	events->is_mixed |= cnt && ordered_events_compare(&events->event[cnt - 1], event) > 0;
	events->event[cnt] = *event;
	events->deque.cnt++;
	return 0;
}

const struct ordered_event *ordered_events_before(struct ordered_events *events, uint64_t before_ns,
						  size_t *cnt)
{
	struct time_array times;

	if (events->is_mixed && step_limit_spend_sort(events->deque.cnt))
		qsort(events->event, events->deque.cnt, sizeof(*events->event),
		      ordered_events_compare);
	events->is_mixed = false;
	times = TIME_SEARCH(events->event, events->deque.cnt, at_ns);
	*cnt = before_ns ? time_search_count(times, before_ns - 1, events->deque.cnt) : 0;
	return events->event;
}

void ordered_events_drop(struct ordered_events *events, size_t cnt)
{
	deque_drop(&events->deque, &events->event, cnt, sizeof(*events->event));
	/* A reader that had no CPU for long leaves more than will ever come again, mostly. */
	deque_fit(&events->deque, &events->event, sizeof(*events->event));
}
