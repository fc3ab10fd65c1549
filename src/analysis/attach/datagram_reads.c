/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/datagram_reads.h"

#include "analysis/container/array.h"
#include "analysis/container/time_search.h"
#include "analysis/work.h"

#include <errno.h>
#include <stdlib.h>

struct take take_of(const struct record_receive *receive, uint64_t awake_ns)
{
	return (struct take){
		.tid = receive->head.tid,
		.channel = receive->channel,
		.position = receive->position,
		.from_ns = awake_ns > receive->enter_ns ? awake_ns : receive->enter_ns,
		.until_ns = receive->exit_ns,
		.unseen = TAKE_SEEN,
	};
}

bool take_may_be_of(const struct take *take, const struct record_send *send)
{
	return send->send_ns <= take->until_ns && send->queued_ns >= take->since_ns;
}

int takes_add(struct datagram_takes *takes, const struct take *take)
{
	if (array_grow(&takes->take, takes->cnt, &takes->room, sizeof(*takes->take)))
		return -ENOMEM;
	takes->is_shared |= takes->reader_tid && takes->reader_tid != take->tid;
	takes->reader_tid = take->tid;
	takes->take[takes->cnt++] = *take;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct take *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void takes_sort(struct datagram_takes *takes)
{
	uint64_t latest_ns = 0;

	work_spend_sort(takes->cnt);
	qsort(takes->take, takes->cnt, sizeof(*takes->take), compare);
	for (size_t i = 0; i < takes->cnt; i++) {
		if (takes->take[i].until_ns > latest_ns)
			latest_ns = takes->take[i].until_ns;
		takes->take[i].latest_ns = latest_ns;
	}
}

size_t takes_begun(const struct datagram_takes *takes, uint64_t at_ns)
{
	/* Mostly, a late one is asked for. */
	return ordered_count(ORDERED(takes->take, takes->cnt, from_ns), at_ns, takes->cnt);
}

size_t takes_together(const struct datagram_takes *takes, size_t first)
{
	uint64_t until_ns = takes->take[first].until_ns;
	size_t i;

	for (i = first + 1; i < takes->cnt && takes->take[i].from_ns <= until_ns; i++) {
		if (takes->take[i].until_ns > until_ns)
			until_ns = takes->take[i].until_ns;
	}
	return i - first;
}

void takes_drop(struct datagram_takes *takes, uint64_t before_ns)
{
	size_t kept = 0;

	work_spend(takes->cnt);
	for (size_t i = 0; i < takes->cnt; i++) {
		if (takes->take[i].until_ns >= before_ns)
			takes->take[kept++] = takes->take[i];
	}
	takes->cnt = kept;
}

void takes_free(struct datagram_takes *takes)
{
	free(takes->take);
	*takes = (struct datagram_takes){0};
}
