/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a send for each unseen read (a read whose datagram the BPF programs could not see). If all
 * sends that fit belong to other reads, the search moves one of these reads to a different send.
 * The unseen read then gets the send that became free.
 */
#include "analysis/attach/datagram_search.h"

#include "container/step_limit.h"

/* A chain of so many readers may each have received the datagram behind the one they saw. */
#define DEPTH_MAX 16

/* Whether the send was in the queue and has left it. */
static bool has_left(const struct datagram_inbox *inbox, const struct unseen_read *unseen,
		     const struct record_send *send)
{
	const struct record_receive *receive = &unseen->receive;
	uint64_t flags = UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING;

	return send->queued_ns <= inbox->emptied_ns ||
	       ((receive->position & flags) == flags &&
		send->queued_ns <= receive->enter_ns + receive->bytes);
}

struct unread_send *datagram_search_certain(const struct datagram_inbox *inbox,
					    const struct unseen_read *unseen)
{
	struct unread_send *certain = NULL;

	for (size_t i = 0; i < inbox->unread_cnt && step_limit_spend(1); i++) {
		struct unread_send *unread = &inbox->unread[i];

		if (unread->is_assigned || unread->reader_cnt != 1 ||
		    !datagram_read_may_be_of(&unseen->read, &unread->send) ||
		    !has_left(inbox, unseen, &unread->send))
			continue;
		if (certain)
			return NULL;
		certain = unread;
	}
	return certain;
}

struct unread_send *datagram_search_likely(const struct datagram_inbox *inbox,
					   const struct datagram_read *read)
{
	struct unread_send *likely = NULL;

	for (size_t i = 0; i < inbox->unread_cnt && step_limit_spend(1); i++) {
		struct unread_send *unread = &inbox->unread[i];

		if (!unread->is_assigned && datagram_read_may_be_of(read, &unread->send) &&
		    (!likely || unread->send.queued_ns < likely->send.queued_ns))
			likely = unread;
	}
	return likely;
}

static int find_left(const struct datagram_search *search, struct datagram_inbox *inbox,
		     const struct datagram_read *read, size_t depth, struct record_send *left);

/*
 * This read has not received the datagram in its record: it gets another one, if there is any. As
 * find_left().
 */
static int move_on(const struct datagram_search *search, struct datagram_inbox *inbox,
		   struct datagram_read *read, size_t depth)
{
	struct record_receive receive;
	struct record_send send;
	size_t change_cnt;
	int err = find_left(search, inbox, read, depth, &send);

	if (err <= 0 ||
	    !join__take_back(search->join, read->channel, read->position, &receive, &change_cnt))
		return err < 0 ? err : 0;
	receive.channel = read->channel = send.channel;
	receive.position = read->position = send.position;
	err = search->put(search->ctx, &receive, change_cnt);
	join__mark_receive(search->join, receive.channel, receive.position);
	return err < 0 ? err : 1;
}

/* The datagram in the record of `other` is left for `read`, if `other` can move on. */
static int find_behind(const struct datagram_search *search, struct datagram_inbox *inbox,
		       const struct datagram_read *read, struct datagram_read *other, size_t depth,
		       struct record_send *left)
{
	const struct record_send *send;

	if (other->channel == CHANNEL_UNKNOWN || other->search == inbox->search_cnt ||
	    other->until_ns < read->from_ns)
		return 0;
	send = join__send_of(search->join, other->channel, other->position);
	if (!send || !datagram_read_may_be_of(read, send))
		return 0;
	*left = *send;
	other->search = inbox->search_cnt;
	if (other->unseen == DATAGRAM_READ_SEEN && !other->since_ns)
		other->since_ns = send->send_ns;
	return move_on(search, inbox, other, depth + 1);
}

/*
 * Finds a send that is left for `read`: one without a receive, or one that another thread received
 * at the same time, according to its record, and that can move on to the next:
 *
 *	reader 1   looks: empty           receives 1: not seen
 *	reader 2            looks: 1 is first           receives 2: recorded as 1
 *
 * 1: found; 0: none; < 0: what `put` returned.
 */
static int find_left(const struct datagram_search *search, struct datagram_inbox *inbox,
		     const struct datagram_read *read, size_t depth, struct record_send *left)
{
	struct unread_send *unread = datagram_search_likely(inbox, read);
	int err = 0;

	if (unread) {
		unread->is_assigned = true;
		*left = unread->send;
		return 1;
	}
	if (depth >= DEPTH_MAX)
		return 0;
	for (size_t i = datagram_reads_begun(&inbox->reads, read->until_ns);
	     !err && i-- > 0 && inbox->reads.read[i].latest_ns >= read->from_ns &&
	     step_limit_spend(1);)
		err = find_behind(search, inbox, read, &inbox->reads.read[i], depth, left);
	return err;
}

/*
 * If nothing is left that was queued after this thread looked, an earlier send may be: another
 * reader may have held the queue spliced away while this one saw it empty.
 */
int datagram_search_shared(const struct datagram_search *search, struct datagram_inbox *inbox,
			   const struct unseen_read *unseen, struct record_send *left)
{
	struct datagram_read read = unseen->read;
	int err;

	inbox->search_cnt++;
	err = find_left(search, inbox, &read, 0, left);
	if (err || !read.since_ns)
		return err;
	read.since_ns = 0;
	inbox->search_cnt++;
	return find_left(search, inbox, &read, 0, left);
}
