/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the reads of each UDP socket, and finds what they received when enough is known. */
#include "analysis/attach/datagrams.h"

#include "analysis/attach/baseline.h"
#include "analysis/attach/datagram_inbox.h"
#include "analysis/join/join.h"
#include "bpf/timing.h"
#include "container/hash_table.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

/* Addresses that are remembered; then the oldest is forgotten. */
#define DESTINATIONS_MAX (1u << 16)

/*
 * The socket that receives the datagrams for an address. The first receive from a channel shows it.
 * All channels to this address lead there, unless several sockets share it (SO_REUSEPORT).
 */
struct destination {
	uint64_t to;     /* address */
	uint64_t socket; /* cookie; 0: several */
	UT_hash_handle hh;
};

struct datagrams {
	struct datagram_inbox *inbox;    /* hash by socket, oldest first */
	struct destination *destination; /* hash by address, oldest first */
	size_t unseen_cnt;               /* in all sockets, not done */
	bool has_shared;                 /* a socket has several readers */
	struct join *join;               /* borrowed */
	struct channel_table *channels;  /* borrowed */
	baselines_put_fn *put; /* also gets the receive of another thread, when it moves */
	void *put_ctx;
	datagrams_unknown_fn *unknown;
	void *unknown_ctx;
};

/*
 * Finds a send for each unseen read (a read whose datagram the BPF programs could not see). If all
 * sends that fit belong to other reads, the search moves one of these reads to a different send.
 * The unseen read then gets the send that became free.
 */
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

/* The only send that this read must have received; NULL: none, or several. */
static struct unread_send *datagram_search_certain(const struct datagram_inbox *inbox,
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

/* The earliest send that this read may have received; NULL: none. */
static struct unread_send *datagram_search_likely(const struct datagram_inbox *inbox,
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

static int find_left(const struct datagrams *datagrams, struct datagram_inbox *inbox,
		     const struct datagram_read *read, size_t depth, struct record_send *left);

/*
 * This read has not received the datagram in its record: it gets another one, if there is any. As
 * find_left().
 */
static int move_on(const struct datagrams *datagrams, struct datagram_inbox *inbox,
		   struct datagram_read *read, size_t depth)
{
	struct record_receive receive;
	struct record_send send;
	size_t change_cnt;
	int err = find_left(datagrams, inbox, read, depth, &send);

	if (err <= 0 ||
	    !join__take_back(datagrams->join, read->channel, read->position, &receive, &change_cnt))
		return err < 0 ? err : 0;
	receive.channel = read->channel = send.channel;
	receive.position = read->position = send.position;
	err = datagrams->put(datagrams->put_ctx, &receive, change_cnt);
	join__mark_receive(datagrams->join, receive.channel, receive.position);
	return err < 0 ? err : 1;
}

/* The datagram in the record of `other` is left for `read`, if `other` can move on. */
static int find_behind(const struct datagrams *datagrams, struct datagram_inbox *inbox,
		       const struct datagram_read *read, struct datagram_read *other, size_t depth,
		       struct record_send *left)
{
	const struct record_send *send;

	if (other->channel == CHANNEL_UNKNOWN || other->search == inbox->search_cnt ||
	    other->until_ns < read->from_ns)
		return 0;
	send = join__send_of(datagrams->join, other->channel, other->position);
	if (!send || !datagram_read_may_be_of(read, send))
		return 0;
	*left = *send;
	other->search = inbox->search_cnt;
	if (other->unseen == DATAGRAM_READ_SEEN && !other->since_ns)
		other->since_ns = send->send_ns;
	return move_on(datagrams, inbox, other, depth + 1);
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
static int find_left(const struct datagrams *datagrams, struct datagram_inbox *inbox,
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
		err = find_behind(datagrams, inbox, read, &inbox->reads.read[i], depth, left);
	return err;
}

/*
 * The same with several readers: one that another thread has received moves on to another send. 1:
 * the send is in `left`; 0: none; < 0: what `put` returned. If nothing is left that was queued
 * after this thread looked, an earlier send may be: another reader may have held the queue spliced
 * away while this one saw it empty.
 */
static int datagram_search_shared(const struct datagrams *datagrams, struct datagram_inbox *inbox,
				  const struct unseen_read *unseen, struct record_send *left)
{
	struct datagram_read read = unseen->read;
	int err;

	inbox->search_cnt++;
	err = find_left(datagrams, inbox, &read, 0, left);
	if (err || !read.since_ns)
		return err;
	read.since_ns = 0;
	inbox->search_cnt++;
	return find_left(datagrams, inbox, &read, 0, left);
}

/* A receive may be moved to another datagram until the records of both readers have come. */
#define SHARED_NS (2 * LATE_NS)

/* After this time the most likely datagram is assigned, and the message marked. */
#define GUESS_NS 2000000000ULL

struct datagrams *datagrams__new(struct channel_table *channels, struct join *join,
				 baselines_put_fn *put, void *put_ctx,
				 datagrams_unknown_fn *unknown, void *unknown_ctx)
{
	struct datagrams *datagrams = calloc(1, sizeof(*datagrams));

	if (!datagrams)
		return NULL;
	datagrams->channels = channels;
	datagrams->join = join;
	datagrams->put = put;
	datagrams->put_ctx = put_ctx;
	datagrams->unknown = unknown;
	datagrams->unknown_ctx = unknown_ctx;
	return datagrams;
}

static void forget_inbox(struct datagrams *datagrams, struct datagram_inbox *inbox)
{
	for (size_t i = 0; i < inbox->unseen_cnt; i++)
		datagrams->unseen_cnt -= !inbox->unseen[i].is_done;
	HASH_DEL(datagrams->inbox, inbox);
	datagram_inbox_clean(inbox);
	free(inbox);
}

void datagrams__free(struct datagrams *datagrams)
{
	if (!datagrams)
		return;
	while (datagrams->inbox)
		forget_inbox(datagrams, datagrams->inbox);
	HASH_DROP_ALL(datagrams->destination);
	free(datagrams);
}

static struct datagram_inbox *inbox_of(struct datagrams *datagrams, uint64_t socket)
{
	struct datagram_inbox *inbox;

	HASH_FIND(hh, datagrams->inbox, &socket, sizeof(socket), inbox);
	if (inbox)
		return inbox;
	if (HASH_COUNT(datagrams->inbox) >= DATAGRAMS_SOCKETS_MAX)
		forget_inbox(datagrams, datagrams->inbox);
	HASH_ADD_NEW(datagrams->inbox, socket, socket, inbox);
	return inbox;
}

/* The receiving socket of an address has shown itself. */
static int learn(struct datagrams *datagrams, uint64_t to, uint64_t socket)
{
	struct destination *destination;

	HASH_FIND(hh, datagrams->destination, &to, sizeof(to), destination);
	if (destination) {
		if (destination->socket != socket)
			destination->socket = 0;
		return 0;
	}
	if (HASH_COUNT(datagrams->destination) >= DESTINATIONS_MAX)
		HASH_DROP(datagrams->destination, datagrams->destination);
	HASH_ADD_NEW(datagrams->destination, to, to, destination);
	if (!destination)
		return -ENOMEM;
	destination->socket = socket;
	return 0;
}

int datagrams__channel(struct datagrams *datagrams, struct channel *channel,
		       const struct record_channel *record)
{
	struct datagram_route *route = &channel->route;

	if (record->sender) {
		route->to = record->receiver;
		return 0;
	}
	route->socket = record->receiver;
	return route->to ? learn(datagrams, route->to, route->socket) : 0;
}

/* The cookie of its socket; 0: nothing was received there yet, or it may be one of several. */
static uint64_t socket_behind(const struct datagrams *datagrams, const struct datagram_route *route)
{
	const struct destination *destination;

	if (route->socket || !route->to)
		return route->socket;
	HASH_FIND(hh, datagrams->destination, &route->to, sizeof(route->to), destination);
	return destination ? destination->socket : 0;
}

int datagrams__received(struct datagrams *datagrams, const struct channel *channel,
			const struct record_receive *receive, uint64_t awake_ns)
{
	uint64_t socket = socket_behind(datagrams, &channel->route);
	struct datagram_inbox *inbox = socket ? inbox_of(datagrams, socket) : NULL;
	struct datagram_read read = datagram_read_of(receive, awake_ns);
	int err;

	if (!socket)
		return 0;
	if (!inbox)
		return -ENOMEM;
	if (inbox->reads.cnt >= DATAGRAM_INBOX_READS_MAX) {
		join__mark_receive(datagrams->join, receive->channel, receive->position);
		return 0;
	}
	err = datagram_reads_add(&inbox->reads, &read);
	datagrams->has_shared |= inbox->reads.is_shared;
	return err;
}

static void datagrams_give_up(struct datagrams *datagrams, struct unseen_read *unseen)
{
	unseen->is_done = true;
	datagrams->unseen_cnt--;
	datagrams->unknown(datagrams->unknown_ctx, &unseen->receive);
}

static void give_up_oldest(struct datagrams *datagrams, struct datagram_inbox *inbox)
{
	for (size_t i = 0; i < inbox->unseen_cnt && step_limit_spend(1); i++) {
		if (inbox->unseen[i].is_done)
			continue;
		datagrams_give_up(datagrams, &inbox->unseen[i]);
		return;
	}
}

int datagrams__unseen(struct datagrams *datagrams, const struct record_receive *receive,
		      size_t change_cnt, uint64_t awake_ns)
{
	struct datagram_inbox *inbox = inbox_of(datagrams, receive->position >> UNSEEN_SHIFT);
	int err;

	if (!inbox)
		return -ENOMEM;
	if (inbox->unseen_cnt >= DATAGRAM_INBOX_UNSEEN_MAX) {
		give_up_oldest(datagrams, inbox);
		datagram_inbox_drop_done(inbox);
	}
	err = datagram_inbox_add(inbox, receive, change_cnt, awake_ns);
	datagrams->unseen_cnt += !err;
	datagrams->has_shared |= inbox->reads.is_shared;
	return err;
}

/* The inbox that a channel leads to, if a thread has received from there. */
static struct datagram_inbox *inbox_behind(const struct datagrams *datagrams,
					   const struct channel *channel)
{
	uint64_t socket = socket_behind(datagrams, &channel->route);
	struct datagram_inbox *inbox = NULL;

	if (socket)
		HASH_FIND(hh, datagrams->inbox, &socket, sizeof(socket), inbox);
	return inbox;
}

uint64_t datagrams__known_ns(const struct datagrams *datagrams, uint64_t before_ns)
{
	if (!datagrams->has_shared || before_ns == UINT64_MAX)
		return before_ns;
	return before_ns > SHARED_NS ? before_ns - SHARED_NS : 0;
}

void datagrams__joined(struct datagrams *datagrams, const struct channel *channel, uint64_t send_ns)
{
	struct datagram_inbox *inbox = inbox_behind(datagrams, channel);

	if (inbox && send_ns > inbox->emptied_ns)
		inbox->emptied_ns = send_ns;
}

/*
 * For join__each_pending_send(). A send without `queued_ns` never was in a queue. A datagram to a
 * group may have left the queue of a socket that is not traced.
 */
static int add_unread(void *ctx, const struct record_send *send)
{
	struct datagrams *datagrams = ctx;
	const struct channel *channel = channel_table__find(datagrams->channels, send->channel);
	struct datagram_inbox *inbox;

	if (!channel || !send->queued_ns || channel->usage.to_group)
		return 0;
	inbox = inbox_behind(datagrams, channel);
	return inbox && inbox->unseen_cnt ? datagram_inbox_add_unread(inbox, send) : 0;
}

/* With several readers, another may still move this one to another datagram. */
static void note_datagram(struct datagram_inbox *inbox, const struct unseen_read *unseen,
			  const struct record_receive *receive)
{
	for (size_t i = datagram_reads_begun(&inbox->reads, unseen->read.from_ns);
	     i-- > 0 && inbox->reads.read[i].from_ns == unseen->read.from_ns &&
	     step_limit_spend(1);) {
		if (inbox->reads.read[i].unseen != unseen->read.unseen)
			continue;
		inbox->reads.read[i].channel = receive->channel;
		inbox->reads.read[i].position = receive->position;
	}
}

static int assign(struct datagrams *datagrams, struct datagram_inbox *inbox,
		  struct unseen_read *unseen, const struct record_send *send, bool is_certain)
{
	struct record_receive receive = unseen->receive;
	int err;

	receive.channel = send->channel;
	receive.position = send->position;
	receive.bytes = send->bytes;
	unseen->is_done = true;
	datagrams->unseen_cnt--;
	err = datagrams->put(datagrams->put_ctx, &receive, unseen->change_cnt);
	if (!is_certain || unseen->is_ambiguous)
		join__mark_receive(datagrams->join, receive.channel, receive.position);
	if (inbox->reads.is_shared)
		note_datagram(inbox, unseen, &receive);
	return err;
}

/* Whether all records that may matter for this read have come. */
static bool is_due(const struct datagram_inbox *inbox, const struct unseen_read *unseen,
		   uint64_t before_ns, bool is_last)
{
	if (is_last || before_ns == UINT64_MAX)
		return is_last || inbox->reads.is_shared; /* what was handed out cannot be moved */
	return unseen->receive.exit_ns + LATE_NS < before_ns;
}

/* All readers may have seen an empty queue, so no datagram is certain. */
static int settle_shared(struct datagrams *datagrams, struct datagram_inbox *inbox,
			 struct unseen_read *unseen)
{
	struct record_send left;
	int err = datagram_search_shared(datagrams, inbox, unseen, &left);

	if (err > 0)
		return assign(datagrams, inbox, unseen, &left, false);
	datagrams_give_up(datagrams, unseen);
	return err;
}

static int settle_single(struct datagrams *datagrams, struct datagram_inbox *inbox,
			 struct unseen_read *unseen, uint64_t before_ns, bool is_last)
{
	struct unread_send *unread = datagram_search_certain(inbox, unseen);
	bool is_certain = unread;

	if (!unread && !is_due(inbox, unseen, before_ns, is_last))
		return 0;
	if (!unread)
		unread = datagram_search_likely(inbox, &unseen->read);
	if (!unread)
		datagrams_give_up(datagrams, unseen);
	if (!unread || (!is_certain && !is_last && unseen->receive.exit_ns + GUESS_NS >= before_ns))
		return 0;
	unread->is_assigned = true;
	return assign(datagrams, inbox, unseen, &unread->send, is_certain);
}

static int settle_unseen(struct datagrams *datagrams, struct datagram_inbox *inbox,
			 struct unseen_read *unseen, uint64_t before_ns, bool is_last)
{
	if (unseen->is_done || unseen->receive.exit_ns >= before_ns)
		return 0;
	if (!inbox->reads.is_shared)
		return settle_single(datagrams, inbox, unseen, before_ns, is_last);
	return is_due(inbox, unseen, before_ns, is_last) ? settle_shared(datagrams, inbox, unseen)
							 : 0;
}

static int compare_unseen(const void *a, const void *b)
{
	const struct unseen_read *x = *(const struct unseen_read *const *)a;
	const struct unseen_read *y = *(const struct unseen_read *const *)b;

	return (x->receive.exit_ns > y->receive.exit_ns) -
	       (x->receive.exit_ns < y->receive.exit_ns);
}

/*
 * The earlier receive chooses first: it cannot have received what was sent after it. Records of
 * several CPUs come in any order.
 */
static int settle_inbox(struct datagrams *datagrams, struct datagram_inbox *inbox,
			uint64_t before_ns, bool is_last)
{
	struct unseen_read **order = malloc((inbox->unseen_cnt + 1) * sizeof(struct unseen_read *));
	int err = 0, one_err;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < inbox->unseen_cnt; i++)
		order[i] = &inbox->unseen[i];
	step_limit_spend_sort(inbox->unseen_cnt);
	qsort(order, inbox->unseen_cnt, sizeof(struct unseen_read *), compare_unseen);
	for (size_t i = 0; i < inbox->unseen_cnt && !step_limit_is_exceeded(); i++) {
		one_err = settle_unseen(datagrams, inbox, order[i], before_ns, is_last);
		err = err ? err : one_err;
	}
	free(order);
	inbox->unread_cnt = 0;
	datagram_inbox_drop_done(inbox);
	return err;
}

static int settle_all(struct datagrams *datagrams, uint64_t before_ns, bool is_last)
{
	int err = join__each_pending_send(datagrams->join, add_unread, datagrams), one_err;
	struct datagram_inbox *inbox, *next;

	HASH_ITER (hh, datagrams->inbox, inbox, next) {
		if (!step_limit_spend(STEPS_OF_INBOX))
			break;
		one_err = settle_inbox(datagrams, inbox, before_ns, is_last);
		err = err ? err : one_err;
	}
	return err;
}

int datagrams__settle(struct datagrams *datagrams, uint64_t before_ns, bool is_last)
{
	struct datagram_inbox *inbox, *next;
	int err = 0;

	if (!step_limit_spend(STEPS_OF_INBOX * HASH_COUNT(datagrams->inbox)))
		return 0;
	HASH_ITER (hh, datagrams->inbox, inbox, next)
		datagram_inbox_mark_overlaps(inbox, datagrams->join);
	if (datagrams->unseen_cnt)
		err = settle_all(datagrams, before_ns, is_last);
	HASH_ITER (hh, datagrams->inbox, inbox, next) {
		uint64_t after_ns = inbox->reads.is_shared ? SHARED_NS : 0;

		datagram_reads_drop(&inbox->reads, before_ns > after_ns ? before_ns - after_ns : 0);
	}
	return err;
}
