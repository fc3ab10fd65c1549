/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps reads in the order of their begin, and finds those that overlap. */
#include "analysis/attach/datagram_reads.h"

#include "analysis/container/array.h"
#include "analysis/container/time_search.h"
#include "analysis/container/step_limit.h"

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

bool datagram_read_may_be_of(const struct datagram_read *read, const struct record_send *send)
{
	return send->send_ns <= read->until_ns && send->queued_ns >= read->since_ns;
}

int datagram_reads_add(struct datagram_reads *reads, const struct datagram_read *read)
{
	if (array_grow(&reads->read, reads->cnt, &reads->room, sizeof(*reads->read)))
		return -ENOMEM;
	reads->is_shared |= reads->reader_tid && reads->reader_tid != read->tid;
	reads->reader_tid = read->tid;
	reads->read[reads->cnt++] = *read;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct datagram_read *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void datagram_reads_sort(struct datagram_reads *reads)
{
	uint64_t latest_ns = 0;

	step_limit_spend_sort(reads->cnt);
	qsort(reads->read, reads->cnt, sizeof(*reads->read), compare);
	for (size_t i = 0; i < reads->cnt; i++) {
		if (reads->read[i].until_ns > latest_ns)
			latest_ns = reads->read[i].until_ns;
		reads->read[i].latest_ns = latest_ns;
	}
}

size_t datagram_reads_begun(const struct datagram_reads *reads, uint64_t at_ns)
{
	/* Mostly a late one: the search begins at the end. */
	return time_search_count(TIME_SEARCH(reads->read, reads->cnt, from_ns), at_ns, reads->cnt);
}

size_t datagram_reads_together(const struct datagram_reads *reads, size_t first)
{
	uint64_t until_ns = reads->read[first].until_ns;
	size_t i;

	for (i = first + 1; i < reads->cnt && reads->read[i].from_ns <= until_ns; i++) {
		if (reads->read[i].until_ns > until_ns)
			until_ns = reads->read[i].until_ns;
	}
	return i - first;
}

void datagram_reads_drop(struct datagram_reads *reads, uint64_t before_ns)
{
	size_t kept = 0;

	step_limit_spend(reads->cnt);
	for (size_t i = 0; i < reads->cnt; i++) {
		if (reads->read[i].until_ns >= before_ns)
			reads->read[kept++] = reads->read[i];
	}
	reads->cnt = kept;
}

void datagram_reads_free(struct datagram_reads *reads)
{
	free(reads->read);
	*reads = (struct datagram_reads){0};
}
