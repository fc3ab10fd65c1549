/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the reads of a socket, sorted by time when they may overlap. */
#include "analysis/attach/datagram_inbox.h"

#include "container/array.h"
#include "container/time_search.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int compare_reads(const void *a, const void *b)
{
	const struct datagram_read *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Also fills in `latest_ns`. */
static void sort_reads(struct datagram_reads *reads)
{
	uint64_t latest_ns = 0;

	step_limit_spend_sort(reads->cnt);
	qsort(reads->read, reads->cnt, sizeof(*reads->read), compare_reads);
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

/* How many reads, from index `first` on, overlap each other; sorted. */
static size_t overlap_from(const struct datagram_reads *reads, size_t first)
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

void datagram_inbox_clean(struct datagram_inbox *inbox)
{
	free(inbox->unseen);
	free(inbox->reads.read);
	free(inbox->unread);
}

int datagram_inbox_add(struct datagram_inbox *inbox, const struct record_receive *receive,
		       size_t change_cnt, uint64_t awake_ns)
{
	struct datagram_read read = datagram_read_of(receive, awake_ns);
	bool is_full = inbox->reads.cnt >= DATAGRAM_INBOX_READS_MAX;

	if (array_grow(&inbox->unseen, inbox->unseen_cnt, &inbox->unseen_room,
		       sizeof(*inbox->unseen)))
		return -ENOMEM;
	read.unseen = inbox->unseen_gone + inbox->unseen_cnt;
	if (receive->position & UNSEEN_CAME_SINCE)
		read.since_ns = receive->enter_ns;
	inbox->unseen[inbox->unseen_cnt++] = (struct unseen_read){
		.receive = *receive,
		.read = read,
		.change_cnt = change_cnt,
		.is_ambiguous = is_full,
	};
	return is_full ? 0 : datagram_reads_add(&inbox->reads, &read);
}

void datagram_inbox_drop_done(struct datagram_inbox *inbox)
{
	size_t done = 0;

	while (done < inbox->unseen_cnt && inbox->unseen[done].is_done)
		done++;
	if (!done)
		return;
	inbox->unseen_gone += done;
	inbox->unseen_cnt -= done;
	step_limit_spend(inbox->unseen_cnt);
	memmove(inbox->unseen, inbox->unseen + done, inbox->unseen_cnt * sizeof(*inbox->unseen));
}

/*
 * These threads read at the same time. Each received the datagram that was first in the queue when
 * it looked, or, if another thread was faster, one behind it:
 *
 *	first in the queue, as each thread saw it	1  2  3
 *	possible datagrams of each thread		1 2 3, 2 3, 3
 *
 * If all threads saw one, the only assignment that fits is that each received what it saw. If one
 * did not, none is certain.
 */
static void mark_together(struct datagram_inbox *inbox, const struct datagram_read *read,
			  size_t cnt, struct join *join)
{
	bool is_unseen = false, is_shared = false;

	for (size_t i = 0; i < cnt && step_limit_spend(1); i++) {
		is_unseen |= read[i].unseen != DATAGRAM_READ_SEEN;
		is_shared |= read[i].tid != read[0].tid;
	}
	for (size_t i = 0; i < cnt && is_unseen && is_shared; i++) {
		if (read[i].unseen == DATAGRAM_READ_SEEN)
			join__mark_receive(join, read[i].channel, read[i].position);
		else if (read[i].unseen >= inbox->unseen_gone)
			inbox->unseen[read[i].unseen - inbox->unseen_gone].is_ambiguous = true;
	}
}

void datagram_inbox_mark_overlaps(struct datagram_inbox *inbox, struct join *join)
{
	struct datagram_reads *reads = &inbox->reads;

	if (!reads->is_shared)
		return;
	sort_reads(reads);
	for (size_t i = 0, cnt; i < reads->cnt; i += cnt) {
		cnt = overlap_from(reads, i);
		mark_together(inbox, &reads->read[i], cnt, join);
	}
}

int datagram_inbox_add_unread(struct datagram_inbox *inbox, const struct record_send *send)
{
	struct unread_send unread = {.send = *send};

	for (size_t i = 0; i < inbox->unseen_cnt && step_limit_spend(1); i++)
		unread.reader_cnt += !inbox->unseen[i].is_done &&
				     datagram_read_may_be_of(&inbox->unseen[i].read, send);
	if (!unread.reader_cnt && !inbox->reads.is_shared)
		return 0;
	if (array_grow(&inbox->unread, inbox->unread_cnt, &inbox->unread_room,
		       sizeof(*inbox->unread)))
		return -ENOMEM;
	inbox->unread[inbox->unread_cnt++] = unread;
	return 0;
}
