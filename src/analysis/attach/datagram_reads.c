/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/datagram_reads.h"

#include "analysis/container/array.h"
#include "analysis/container/time_search.h"
#include "analysis/work.h"

#include <errno.h>
#include <stdlib.h>

struct datagram_read datagram_read_of(const struct record_receive *receive, uint64_t awake_ns)
{
	return (struct datagram_read){
		.tid = receive->head.tid,
		.channel = receive->channel,
		.position = receive->position,
		.from_ns = awake_ns > receive->enter_ns ? awake_ns : receive->enter_ns,
		.until_ns = receive->exit_ns,
		.unseen = DATAGRAM_READ_SEEN,
	};
}

bool datagram_read_may_be_of(const struct datagram_read *take, const struct record_send *send)
{
	return send->send_ns <= take->until_ns && send->queued_ns >= take->since_ns;
}

int datagram_reads_add(struct datagram_reads *takes, const struct datagram_read *take)
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
	const struct datagram_read *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void datagram_reads_sort(struct datagram_reads *takes)
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

size_t datagram_reads_begun(const struct datagram_reads *takes, uint64_t at_ns)
{
	/* Mostly, a late one is asked for. */
	return time_search_count(TIME_SEARCH(takes->take, takes->cnt, from_ns), at_ns, takes->cnt);
}

size_t datagram_reads_together(const struct datagram_reads *takes, size_t first)
{
	uint64_t until_ns = takes->take[first].until_ns;
	size_t i;

	for (i = first + 1; i < takes->cnt && takes->take[i].from_ns <= until_ns; i++) {
		if (takes->take[i].until_ns > until_ns)
			until_ns = takes->take[i].until_ns;
	}
	return i - first;
}

void datagram_reads_drop(struct datagram_reads *takes, uint64_t before_ns)
{
	size_t kept = 0;

	work_spend(takes->cnt);
	for (size_t i = 0; i < takes->cnt; i++) {
		if (takes->take[i].until_ns >= before_ns)
			takes->take[kept++] = takes->take[i];
	}
	takes->cnt = kept;
}

void datagram_reads_free(struct datagram_reads *takes)
{
	free(takes->take);
	*takes = (struct datagram_reads){0};
}
