/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the reads of one socket and finds those that overlapped. */
#include "analysis/attach/datagram_inbox.h"

#include "analysis/container/array.h"
#include "analysis/container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void datagram_inbox_clean(struct datagram_inbox *inbox)
{
	free(inbox->unseen);
	datagram_reads_free(&inbox->reads);
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

static void mark_ambiguous(struct datagram_inbox *inbox, const struct datagram_read *read,
			   struct join *join)
{
	if (read->unseen == DATAGRAM_READ_SEEN)
		join__mark_receive(join, read->channel, read->position);
	else if (read->unseen >= inbox->unseen_gone)
		inbox->unseen[read->unseen - inbox->unseen_gone].is_ambiguous = true;
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
	for (size_t i = 0; i < cnt && is_unseen && is_shared; i++)
		mark_ambiguous(inbox, &read[i], join);
}

void datagram_inbox_mark_overlaps(struct datagram_inbox *inbox, struct join *join)
{
	struct datagram_reads *reads = &inbox->reads;

	if (!reads->is_shared)
		return;
	datagram_reads_sort(reads);
	for (size_t i = 0, cnt; i < reads->cnt; i += cnt) {
		cnt = datagram_reads_together(reads, i);
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
