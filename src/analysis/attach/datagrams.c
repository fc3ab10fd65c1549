/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/datagrams.h"

#include "analysis/attach/datagram_reads.h"
#include "analysis/attach/datagram_routes.h"
#include "analysis/container/array.h"
#include "analysis/work.h"
#include "bpf/timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Of several readers, what one has taken may turn out to be another's until both are told of. */
#define SHARED_NS (2 * LATE_NS)

/* Then the most likely one is taken, and marked. */
#define GUESS_NS 2000000000ULL

/* So many readers in a row may each have taken what is behind what they saw. */
#define ROW_MAX 16

/* A receive of which nobody saw what it took. */
struct unseen {
	struct record_receive receive;
	struct datagram_read take;
	size_t change_cnt;
	bool is_doubtful;
	bool is_done;
};

/* A send that nobody is known to have taken. */
struct open_send {
	struct record_send send;
	size_t by_cnt; /* receives that may have taken it */
	bool is_taken; /* by now */
};

struct inbox {
	uint64_t socket;     /* cookie */
	uint64_t emptied_ns; /* what was queued before is in it no more */
	struct unseen *unseen;
	size_t unseen_cnt, unseen_room;
	uint64_t unseen_before; /* how many there were before the first of these */
	struct datagram_reads takes;
	uint64_t search_cnt;
	struct open_send *open; /* while it is settled */
	size_t open_cnt, open_room;
	UT_hash_handle hh;
};

struct datagrams {
	struct inbox *inbox; /* hash by socket, oldest first */
	struct datagram_routes *ways;
	size_t unseen_cnt; /* of all, not done */
	bool has_shared;   /* an inbox of several readers */
	struct join *join; /* borrowed */
	baselines_put_fn *put;
	datagrams_unknown_fn *unknown;
	void *ctx;
};

struct datagrams *datagrams__new(struct join *join, baselines_put_fn *put,
				 datagrams_unknown_fn *unknown, void *ctx)
{
	struct datagrams *datagrams = calloc(1, sizeof(*datagrams));

	if (!datagrams)
		return NULL;
	datagrams->join = join;
	datagrams->put = put;
	datagrams->unknown = unknown;
	datagrams->ctx = ctx;
	datagrams->ways = datagram_routes__new();
	if (datagrams->ways)
		return datagrams;
	free(datagrams);
	return NULL;
}

static void forget_inbox(struct datagrams *datagrams, struct inbox *inbox)
{
	for (size_t i = 0; i < inbox->unseen_cnt; i++)
		datagrams->unseen_cnt -= !inbox->unseen[i].is_done;
	HASH_DEL(datagrams->inbox, inbox);
	free(inbox->unseen);
	datagram_reads_free(&inbox->takes);
	free(inbox->open);
	free(inbox);
}

void datagrams__free(struct datagrams *datagrams)
{
	struct inbox *inbox, *next;

	if (!datagrams)
		return;
	HASH_ITER (hh, datagrams->inbox, inbox, next)
		forget_inbox(datagrams, inbox);
	datagram_routes__free(datagrams->ways);
	free(datagrams);
}

static struct inbox *inbox_of(struct datagrams *datagrams, uint64_t socket)
{
	struct inbox *inbox;

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

int datagrams__channel(struct datagrams *datagrams, const struct record_channel *channel)
{
	return datagram_routes__add(datagrams->ways, channel);
}

void datagrams__group(struct datagrams *datagrams, uint32_t channel)
{
	datagram_routes__to_group(datagrams->ways, channel);
}

static int add_take(struct datagrams *datagrams, struct inbox *inbox,
		    const struct datagram_read *take)
{
	int err = datagram_reads_add(&inbox->takes, take);

	datagrams->has_shared |= inbox->takes.is_shared;
	return err;
}

int datagrams__taken(struct datagrams *datagrams, const struct record_receive *receive,
		     uint64_t awake_ns)
{
	uint64_t socket = datagram_routes__socket(datagrams->ways, receive->channel);
	struct inbox *inbox = socket ? inbox_of(datagrams, socket) : NULL;
	struct datagram_read take = datagram_read_of(receive, awake_ns);

	if (!socket)
		return 0;
	if (!inbox)
		return -ENOMEM;
	if (inbox->takes.cnt < DATAGRAMS_TAKES_MAX)
		return add_take(datagrams, inbox, &take);
	join__doubt_receive(datagrams->join, receive->channel, receive->position);
	return 0;
}

/* The others keep their numbers. */
static void drop_done(struct inbox *inbox)
{
	size_t done = 0;

	while (done < inbox->unseen_cnt && inbox->unseen[done].is_done)
		done++;
	if (!done)
		return;
	inbox->unseen_before += done;
	inbox->unseen_cnt -= done;
	work_spend(inbox->unseen_cnt);
	memmove(inbox->unseen, inbox->unseen + done, inbox->unseen_cnt * sizeof(*inbox->unseen));
}

static void give_up(struct datagrams *datagrams, struct unseen *unseen)
{
	unseen->is_done = true;
	datagrams->unseen_cnt--;
	datagrams->unknown(datagrams->ctx, &unseen->receive);
}

/* The oldest of too many: it will not be looked at any more. */
static void give_up_oldest(struct datagrams *datagrams, struct inbox *inbox)
{
	for (size_t i = 0; i < inbox->unseen_cnt && work_spend(1); i++) {
		if (inbox->unseen[i].is_done)
			continue;
		give_up(datagrams, &inbox->unseen[i]);
		return;
	}
}

int datagrams__unseen(struct datagrams *datagrams, const struct record_receive *receive,
		      size_t change_cnt, uint64_t awake_ns)
{
	struct inbox *inbox = inbox_of(datagrams, receive->position >> UNSEEN_SHIFT);
	struct datagram_read take = datagram_read_of(receive, awake_ns);

	if (!inbox)
		return -ENOMEM;
	if (inbox->unseen_cnt >= DATAGRAMS_UNSEEN_MAX) {
		give_up_oldest(datagrams, inbox);
		drop_done(inbox);
	}
	if (array_grow(&inbox->unseen, inbox->unseen_cnt, &inbox->unseen_room,
		       sizeof(*inbox->unseen)))
		return -ENOMEM;
	take.unseen = inbox->unseen_before + inbox->unseen_cnt;
	if (receive->position & UNSEEN_CAME_SINCE)
		take.since_ns = receive->enter_ns;
	inbox->unseen[inbox->unseen_cnt++] = (struct unseen){
		.receive = *receive,
		.take = take,
		.change_cnt = change_cnt,
		.is_doubtful = inbox->takes.cnt >= DATAGRAMS_TAKES_MAX,
	};
	datagrams->unseen_cnt++;
	if (inbox->takes.cnt >= DATAGRAMS_TAKES_MAX)
		return 0;
	return add_take(datagrams, inbox, &take);
}

/* What a channel leads to, if anybody has taken anything from there. */
static struct inbox *inbox_behind(const struct datagrams *datagrams, uint32_t channel)
{
	uint64_t socket = datagram_routes__socket(datagrams->ways, channel);
	struct inbox *inbox = NULL;

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

void datagrams__joined(struct datagrams *datagrams, uint32_t channel, uint64_t send_ns)
{
	struct inbox *inbox = inbox_behind(datagrams, channel);

	if (inbox && send_ns > inbox->emptied_ns)
		inbox->emptied_ns = send_ns;
}

static void doubt(struct datagrams *datagrams, struct inbox *inbox,
		  const struct datagram_read *take)
{
	if (take->unseen == DATAGRAM_READ_SEEN)
		join__doubt_receive(datagrams->join, take->channel, take->position);
	else if (take->unseen >= inbox->unseen_before)
		inbox->unseen[take->unseen - inbox->unseen_before].is_doubtful = true;
}

/*
 * Several threads were at it at the same time. Each took what was first when it looked, or, if
 * others were faster, something behind it:
 *
 *	were first, as the threads saw		1 2 3
 *	may have been taken by them		1 2 3, 2 3, 3
 *
 * So each took what it saw, if all have seen what they took. If one has not, none is certain.
 */
static void doubt_together(struct datagrams *datagrams, struct inbox *inbox,
			   const struct datagram_read *take, size_t cnt)
{
	bool is_unseen = false, is_shared = false;

	for (size_t i = 0; i < cnt && work_spend(1); i++) {
		is_unseen |= take[i].unseen != DATAGRAM_READ_SEEN;
		is_shared |= take[i].tid != take[0].tid;
	}
	for (size_t i = 0; i < cnt && is_unseen && is_shared; i++)
		doubt(datagrams, inbox, &take[i]);
}

static void find_overlaps(struct datagrams *datagrams, struct inbox *inbox)
{
	struct datagram_reads *takes = &inbox->takes;

	if (!takes->is_shared)
		return;
	datagram_reads_sort(takes);
	for (size_t i = 0, cnt; i < takes->cnt; i += cnt) {
		cnt = datagram_reads_together(takes, i);
		doubt_together(datagrams, inbox, &takes->take[i], cnt);
	}
}

static void drop_takes(struct inbox *inbox, uint64_t before_ns)
{
	uint64_t after_ns = inbox->takes.is_shared ? SHARED_NS : 0;

	datagram_reads_drop(&inbox->takes, before_ns > after_ns ? before_ns - after_ns : 0);
}

/* It was in the queue, and is not any more. */
static bool has_left(const struct inbox *inbox, const struct unseen *unseen,
		     const struct record_send *send)
{
	const struct record_receive *receive = &unseen->receive;
	uint64_t flags = UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING;

	return send->queued_ns <= inbox->emptied_ns ||
	       ((receive->position & flags) == flags &&
		send->queued_ns <= receive->enter_ns + receive->bytes);
}

/*
 * For join__each_open_send(): a send that never was in a queue has no such instant. One to a group
 * may have left a queue that we do not know.
 */
static int note_open(void *ctx, const struct record_send *send)
{
	struct datagrams *datagrams = ctx;
	struct inbox *inbox = send->queued_ns ? inbox_behind(datagrams, send->channel) : NULL;
	struct open_send open = {.send = *send};

	if (!inbox || !inbox->unseen_cnt ||
	    datagram_routes__is_to_group(datagrams->ways, send->channel))
		return 0;
	for (size_t i = 0; i < inbox->unseen_cnt && work_spend(1); i++)
		open.by_cnt += !inbox->unseen[i].is_done &&
			       datagram_read_may_be_of(&inbox->unseen[i].take, send);
	if (!open.by_cnt && !inbox->takes.is_shared)
		return 0;
	if (array_grow(&inbox->open, inbox->open_cnt, &inbox->open_room, sizeof(*inbox->open)))
		return -ENOMEM;
	inbox->open[inbox->open_cnt++] = open;
	return 0;
}

/* The only send that it must have taken; NULL: there is none, or not only one. */
static struct open_send *find_certain(const struct inbox *inbox, const struct unseen *unseen)
{
	struct open_send *certain = NULL;

	for (size_t i = 0; i < inbox->open_cnt && work_spend(1); i++) {
		struct open_send *open = &inbox->open[i];

		if (open->is_taken || open->by_cnt != 1 ||
		    !datagram_read_may_be_of(&unseen->take, &open->send) ||
		    !has_left(inbox, unseen, &open->send))
			continue;
		if (certain)
			return NULL;
		certain = open;
	}
	return certain;
}

/* The first that it may have taken; NULL: there is none. */
static struct open_send *find_likely(const struct inbox *inbox, const struct datagram_read *take)
{
	struct open_send *likely = NULL;

	for (size_t i = 0; i < inbox->open_cnt && work_spend(1); i++) {
		struct open_send *open = &inbox->open[i];

		if (!open->is_taken && datagram_read_may_be_of(take, &open->send) &&
		    (!likely || open->send.queued_ns < likely->send.queued_ns))
			likely = open;
	}
	return likely;
}

static int find_left(struct datagrams *datagrams, struct inbox *inbox,
		     const struct datagram_read *take, size_t row, struct record_send *left);

/* It has not taken what is said of it, but something else, if there is any. As find_left(). */
static int move_on(struct datagrams *datagrams, struct inbox *inbox, struct datagram_read *take,
		   size_t row)
{
	struct record_receive receive;
	struct record_send send;
	size_t change_cnt;
	int err = find_left(datagrams, inbox, take, row, &send);

	if (err <= 0 ||
	    !join__take_back(datagrams->join, take->channel, take->position, &receive, &change_cnt))
		return err < 0 ? err : 0;
	receive.channel = take->channel = send.channel;
	receive.position = take->position = send.position;
	err = datagrams->put(datagrams->ctx, &receive, change_cnt);
	join__doubt_receive(datagrams->join, receive.channel, receive.position);
	return err < 0 ? err : 1;
}

/* What `other` is said to have taken is left for `take` if `other` has taken something behind it.
 */
static int find_behind(struct datagrams *datagrams, struct inbox *inbox,
		       const struct datagram_read *take, struct datagram_read *other, size_t row,
		       struct record_send *left)
{
	const struct record_send *send;

	if (other->channel == CHANNEL_UNKNOWN || other->search == inbox->search_cnt ||
	    other->until_ns < take->from_ns)
		return 0;
	send = join__send_of(datagrams->join, other->channel, other->position);
	if (!send || !datagram_read_may_be_of(take, send))
		return 0;
	*left = *send;
	other->search = inbox->search_cnt;
	if (other->unseen == DATAGRAM_READ_SEEN && !other->since_ns)
		other->since_ns = send->send_ns;
	return move_on(datagrams, inbox, other, row + 1);
}

/*
 * A send that is left for `take`: one that nobody has, or one that another has who was at it at the
 * same time,
 *
 *	reader 1   looks: empty           takes 1: not seen
 *	reader 2            looks: 1 is first           takes 2: said to be 1
 *
 * and who then gets what is left for it. 1: found; 0: there is none; < 0: what `put` returned.
 */
static int find_left(struct datagrams *datagrams, struct inbox *inbox,
		     const struct datagram_read *take, size_t row, struct record_send *left)
{
	struct open_send *open = find_likely(inbox, take);
	int err = 0;

	if (open) {
		open->is_taken = true;
		*left = open->send;
		return 1;
	}
	if (row >= ROW_MAX)
		return 0;
	for (size_t i = datagram_reads_begun(&inbox->takes, take->until_ns);
	     !err && i-- > 0 && inbox->takes.take[i].latest_ns >= take->from_ns && work_spend(1);)
		err = find_behind(datagrams, inbox, take, &inbox->takes.take[i], row, left);
	return err;
}

/*
 * Of several readers, another may have spliced the queue, or taken what was first, while this one
 * looked: it has not seen what was there.
 */
static int find_for_shared(struct datagrams *datagrams, struct inbox *inbox,
			   const struct unseen *unseen, struct record_send *left)
{
	struct datagram_read take = unseen->take;
	int err;

	inbox->search_cnt++;
	err = find_left(datagrams, inbox, &take, 0, left);
	if (err || !take.since_ns)
		return err;
	take.since_ns = 0;
	inbox->search_cnt++;
	return find_left(datagrams, inbox, &take, 0, left);
}

/* Others may still find that they have taken it, and this one something else. */
static void tell_take(struct inbox *inbox, const struct unseen *unseen,
		      const struct record_receive *receive)
{
	for (size_t i = datagram_reads_begun(&inbox->takes, unseen->take.from_ns);
	     i-- > 0 && inbox->takes.take[i].from_ns == unseen->take.from_ns && work_spend(1);) {
		if (inbox->takes.take[i].unseen != unseen->take.unseen)
			continue;
		inbox->takes.take[i].channel = receive->channel;
		inbox->takes.take[i].position = receive->position;
	}
}

static int pair(struct datagrams *datagrams, struct inbox *inbox, struct unseen *unseen,
		const struct record_send *send, bool is_certain)
{
	struct record_receive receive = unseen->receive;
	int err;

	receive.channel = send->channel;
	receive.position = send->position;
	receive.bytes = send->bytes;
	unseen->is_done = true;
	datagrams->unseen_cnt--;
	err = datagrams->put(datagrams->ctx, &receive, unseen->change_cnt);
	if (!is_certain || unseen->is_doubtful)
		join__doubt_receive(datagrams->join, receive.channel, receive.position);
	if (inbox->takes.is_shared)
		tell_take(inbox, unseen, &receive);
	return err;
}

/* Whether all that may matter for it has been told of. */
static bool is_due(const struct inbox *inbox, const struct unseen *unseen, uint64_t before_ns,
		   bool is_last)
{
	if (is_last || before_ns == UINT64_MAX)
		return is_last || inbox->takes.is_shared; /* what is handed out cannot be moved */
	return unseen->receive.exit_ns + LATE_NS < before_ns;
}

/* Several readers may all have seen nothing: none is certain. */
static int settle_shared(struct datagrams *datagrams, struct inbox *inbox, struct unseen *unseen)
{
	struct record_send left;
	int err = find_for_shared(datagrams, inbox, unseen, &left);

	if (err > 0)
		return pair(datagrams, inbox, unseen, &left, false);
	give_up(datagrams, unseen);
	return err;
}

static int settle_single(struct datagrams *datagrams, struct inbox *inbox, struct unseen *unseen,
			 uint64_t before_ns, bool is_last)
{
	struct open_send *open = find_certain(inbox, unseen);
	bool is_certain = open;

	if (!open && !is_due(inbox, unseen, before_ns, is_last))
		return 0;
	if (!open)
		open = find_likely(inbox, &unseen->take);
	if (!open)
		give_up(datagrams, unseen);
	if (!open || (!is_certain && !is_last && unseen->receive.exit_ns + GUESS_NS >= before_ns))
		return 0;
	open->is_taken = true;
	return pair(datagrams, inbox, unseen, &open->send, is_certain);
}

static int settle_unseen(struct datagrams *datagrams, struct inbox *inbox, struct unseen *unseen,
			 uint64_t before_ns, bool is_last)
{
	if (unseen->is_done || unseen->receive.exit_ns >= before_ns)
		return 0;
	if (!inbox->takes.is_shared)
		return settle_single(datagrams, inbox, unseen, before_ns, is_last);
	return is_due(inbox, unseen, before_ns, is_last) ? settle_shared(datagrams, inbox, unseen)
							 : 0;
}

static int compare_unseen(const void *a, const void *b)
{
	const struct unseen *x = *(const struct unseen *const *)a;
	const struct unseen *y = *(const struct unseen *const *)b;

	return (x->receive.exit_ns > y->receive.exit_ns) -
	       (x->receive.exit_ns < y->receive.exit_ns);
}

/*
 * The earlier receive chooses first: else it may find only what was sent after it. Their records
 * come by several CPUs, in any order.
 */
static int settle_inbox(struct datagrams *datagrams, struct inbox *inbox, uint64_t before_ns,
			bool is_last)
{
	struct unseen **order = malloc((inbox->unseen_cnt + 1) * sizeof(struct unseen *));
	int err = 0, one_err;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < inbox->unseen_cnt; i++)
		order[i] = &inbox->unseen[i];
	work_spend_sort(inbox->unseen_cnt);
	qsort(order, inbox->unseen_cnt, sizeof(struct unseen *), compare_unseen);
	for (size_t i = 0; i < inbox->unseen_cnt && !work_is_over(); i++) {
		one_err = settle_unseen(datagrams, inbox, order[i], before_ns, is_last);
		err = err ? err : one_err;
	}
	free(order);
	inbox->open_cnt = 0;
	drop_done(inbox);
	return err;
}

static int settle_all(struct datagrams *datagrams, uint64_t before_ns, bool is_last)
{
	int err = join__each_open_send(datagrams->join, note_open, datagrams), one_err;
	struct inbox *inbox, *next;

	HASH_ITER (hh, datagrams->inbox, inbox, next) {
		if (!work_spend(STEPS_OF_INBOX))
			break;
		one_err = settle_inbox(datagrams, inbox, before_ns, is_last);
		err = err ? err : one_err;
	}
	return err;
}

int datagrams__settle(struct datagrams *datagrams, uint64_t before_ns, bool is_last)
{
	struct inbox *inbox, *next;
	int err = 0;

	if (!work_spend(STEPS_OF_INBOX * HASH_COUNT(datagrams->inbox)))
		return 0;
	HASH_ITER (hh, datagrams->inbox, inbox, next)
		find_overlaps(datagrams, inbox);
	if (datagrams->unseen_cnt)
		err = settle_all(datagrams, before_ns, is_last);
	HASH_ITER (hh, datagrams->inbox, inbox, next)
		drop_takes(inbox, before_ns);
	return err;
}
