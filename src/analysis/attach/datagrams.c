/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the reads of each UDP socket. When enough records have arrived, finds the datagrams
 * that the BPF programs could not see.
 */
#include "analysis/attach/datagrams.h"

#include "analysis/attach/datagram_inbox.h"
#include "analysis/attach/datagram_search.h"
#include "container/step_limit.h"
#include "bpf/timing.h"

#include <errno.h>
#include <stdlib.h>

/* A receive may be moved to another datagram until the records of both readers have come. */
#define SHARED_NS (2 * LATE_NS)

/* After this time the most likely datagram is assigned, and the message marked. */
#define GUESS_NS 2000000000ULL

struct datagrams {
	struct datagram_inbox *inbox; /* hash by socket, oldest first */
	struct datagram_routes routes;
	size_t unseen_cnt; /* in all sockets, not done */
	bool has_shared;   /* a socket has several readers */
	struct datagram_search search;
	struct channel_table *channels; /* borrowed */
	datagrams_unknown_fn *unknown;
};

struct datagrams *datagrams__new(struct channel_table *channels, struct join *join,
				 baselines_put_fn *put, datagrams_unknown_fn *unknown, void *ctx)
{
	struct datagrams *datagrams = calloc(1, sizeof(*datagrams));

	if (!datagrams)
		return NULL;
	datagrams->channels = channels;
	datagrams->search = (struct datagram_search){.join = join, .put = put, .ctx = ctx};
	datagrams->unknown = unknown;
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
	datagram_routes_clean(&datagrams->routes);
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
	inbox = calloc(1, sizeof(*inbox));
	if (!inbox)
		return NULL;
	inbox->socket = socket;
	HASH_ADD(hh, datagrams->inbox, socket, sizeof(inbox->socket), inbox);
	return inbox;
}

int datagrams__channel(struct datagrams *datagrams, struct channel *channel,
		       const struct record_channel *record)
{
	return datagram_routes_add(&datagrams->routes, &channel->route, record);
}

int datagrams__received(struct datagrams *datagrams, const struct channel *channel,
			const struct record_receive *receive, uint64_t awake_ns)
{
	uint64_t socket = datagram_routes_socket(&datagrams->routes, &channel->route);
	struct datagram_inbox *inbox = socket ? inbox_of(datagrams, socket) : NULL;
	struct datagram_read read = datagram_read_of(receive, awake_ns);
	int err;

	if (!socket)
		return 0;
	if (!inbox)
		return -ENOMEM;
	if (inbox->reads.cnt >= DATAGRAM_INBOX_READS_MAX) {
		join__mark_receive(datagrams->search.join, receive->channel, receive->position);
		return 0;
	}
	err = datagram_reads_add(&inbox->reads, &read);
	datagrams->has_shared |= inbox->reads.is_shared;
	return err;
}

static void give_up(struct datagrams *datagrams, struct unseen_read *unseen)
{
	unseen->is_done = true;
	datagrams->unseen_cnt--;
	datagrams->unknown(datagrams->search.ctx, &unseen->receive);
}

static void give_up_oldest(struct datagrams *datagrams, struct datagram_inbox *inbox)
{
	for (size_t i = 0; i < inbox->unseen_cnt && step_limit_spend(1); i++) {
		if (inbox->unseen[i].is_done)
			continue;
		give_up(datagrams, &inbox->unseen[i]);
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
	uint64_t socket = datagram_routes_socket(&datagrams->routes, &channel->route);
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

static void drop_reads(struct datagram_inbox *inbox, uint64_t before_ns)
{
	uint64_t after_ns = inbox->reads.is_shared ? SHARED_NS : 0;

	datagram_reads_drop(&inbox->reads, before_ns > after_ns ? before_ns - after_ns : 0);
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
	err = datagrams->search.put(datagrams->search.ctx, &receive, unseen->change_cnt);
	if (!is_certain || unseen->is_ambiguous)
		join__mark_receive(datagrams->search.join, receive.channel, receive.position);
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
	int err = datagram_search_shared(&datagrams->search, inbox, unseen, &left);

	if (err > 0)
		return assign(datagrams, inbox, unseen, &left, false);
	give_up(datagrams, unseen);
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
		give_up(datagrams, unseen);
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
	int err = join__each_pending_send(datagrams->search.join, add_unread, datagrams), one_err;
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
		datagram_inbox_mark_overlaps(inbox, datagrams->search.join);
	if (datagrams->unseen_cnt)
		err = settle_all(datagrams, before_ns, is_last);
	HASH_ITER (hh, datagrams->inbox, inbox, next)
		drop_reads(inbox, before_ns);
	return err;
}
