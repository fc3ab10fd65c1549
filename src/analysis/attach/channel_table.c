/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps channels in a hash table, and counts messages of forgotten ones that have no record. */
#include "analysis/attach/channel_table.h"

#include "container/id_set.h"
#include "container/lru_table.h"
#include "model/record_decode.h"
#include "model/window_records.h"

#include <stdlib.h>

/*
 * Positions are consecutive: a gap between those of recorded sends shows a message without a
 * record. This is not so on UDP, where positions have gaps if no record is missing, too.
 */

/* A channel without a receive on this machine for so long leads to another machine. */
#define ELSEWHERE_NS 2000000000ULL

struct user user_of_send(const struct record_send *send)
{
	return (struct user){.tid = send->head.tid,
			     .at_ns = send->send_ns ? send->send_ns : send->queued_ns};
}

struct user user_of_receive(const struct record_receive *receive)
{
	return (struct user){.tid = receive->head.tid, .at_ns = receive->exit_ns};
}

void channel_usage_facts(struct channel_usage *usage, uint32_t flags)
{
	usage->has_senders |= flags & CHANNEL_HAD_SENDERS;
	usage->has_receivers |= flags & CHANNEL_HAD_RECEIVERS;
	usage->has_late |= flags & CHANNEL_HAD_LATE;
	usage->has_receive |= flags & CHANNEL_HAD_RECEIVE;
}

static bool channel_usage_is_inet(const struct channel_usage *usage)
{
	return transport_is_udp(usage->transport) || transport_is_tcp(usage->transport);
}

/* Whether nothing shows a receiver on this machine. */
static bool may_leave(const struct channel_usage *usage)
{
	return channel_usage_is_inet(usage) && !usage->has_receive && !usage->has_arrived;
}

bool channel_usage_is_elsewhere(const struct channel_usage *usage)
{
	return may_leave(usage) || (channel_usage_is_inet(usage) && !usage->has_send);
}

bool user_is_target(const struct threads *threads, struct user user)
{
	return threads__is_target(threads, user.tid, user.at_ns);
}

bool channel_usage_concerns(const struct channel_usage *usage, const struct threads *threads)
{
	return usage->had_target || user_is_target(threads, usage->sender) ||
	       user_is_target(threads, usage->receiver);
}

/* Whether the previous user is a target is only asked now: its THREAD record may come late. */
static void channel_usage_note_user(struct channel_usage *usage, const struct threads *threads,
				    struct user *last, struct user user)
{
	if (last->tid != user.tid)
		usage->had_target |= user_is_target(threads, *last);
	*last = user;
}

static void channel_usage_note_end(struct channel_usage *usage, uint64_t end)
{
	if (end > usage->sends_end)
		usage->sends_end = end;
}

/* The join counts the gaps of streams, except in sends that leave: it does not get these. */
static void channel_usage_note_known(struct channel_usage *usage, const struct record_send *send,
				     bool leaves, bool after_stop)
{
	bool is_stream = send->channel & CHANNEL_STREAM;

	if (!is_stream && after_stop)
		return;
	channel_usage_note_end(usage, send->position + (is_stream ? send->bytes : 1));
	usage->known_cnt += leaves || !is_stream;
}

bool channel_usage_sent(struct channel_usage *usage, const struct threads *threads,
			const struct record_send *send, bool after_stop)
{
	bool leaves;

	if (!usage->has_send || send->position < usage->first_send)
		usage->first_send = send->position;
	if (!usage->has_send)
		usage->first_send_ns = send->send_ns;
	usage->has_send = true;
	usage->has_arrived |= transport_is_tcp(usage->transport) && send->queued_ns;
	usage->has_senders |= usage->sender.tid && usage->sender.tid != send->head.tid;
	channel_usage_note_user(usage, threads, &usage->sender, user_of_send(send));
	leaves = may_leave(usage) && send->send_ns > usage->first_send_ns + ELSEWHERE_NS;
	channel_usage_note_known(usage, send, leaves, after_stop);
	return leaves;
}

void channel_usage_sent_beside(struct channel_usage *usage, const struct record_beside *beside,
			       bool after_stop)
{
	/* The only sender of a channel may have slept in the middle of its send. */
	usage->has_senders |= usage->sender.tid && usage->sender.tid != beside->head.tid;
	/*
	 * The gaps of a stream are counted up to its end, also in front of another thread's send.
	 */
	usage->known_cnt += !after_stop || (beside->channel & CHANNEL_STREAM && usage->has_senders);
}

void channel_usage_received(struct channel_usage *usage, const struct threads *threads,
			    const struct record_receive *receive)
{
	usage->has_receive = true;
	usage->has_receivers |= usage->receiver.tid && usage->receiver.tid != receive->head.tid;
	channel_usage_note_user(usage, threads, &usage->receiver, user_of_receive(receive));
}

void channel_usage_gave_up(struct channel_usage *usage, const struct record_send *send,
			   uint64_t now_ns)
{
	if (!usage->given_up_ns)
		usage->given_up_ns = now_ns;
	if (send->position >= usage->given_up_end)
		usage->given_up_end = send->position + 1;
}

bool channel_usage_was_given_up(const struct channel_usage *usage,
				const struct record_receive *receive)
{
	return usage->given_up_ns && receive->exit_ns >= usage->given_up_ns &&
	       receive->position < usage->given_up_end;
}

void channel_usage_lacks_send(struct channel_usage *usage, const struct record_receive *receive)
{
	usage->known_cnt++;
	if (!(receive->channel & CHANNEL_STREAM))
		channel_usage_note_end(usage, receive->position + 1);
}

/*
 * Each gap in a stream hides at least one message. Messages behind the last known one cannot be
 * counted, and those of UDP neither: a datagram takes a position at each device that it crosses.
 */
uint64_t channel_usage_missing(const struct channel_usage *usage, uint32_t id,
			       const struct threads *threads, const struct join *join)
{
	uint64_t begin = usage->first_send + usage->known_cnt, end = usage->sends_end;

	if (!usage->has_send || transport_is_udp(usage->transport) || may_leave(usage) ||
	    !channel_usage_concerns(usage, threads))
		return 0;
	if (id & CHANNEL_STREAM) {
		begin = usage->known_cnt;
		end = join__gaps(join, id);
	}
	return end > begin ? end - begin : 0;
}

struct channel_table {
	LRU_TABLE(struct channel);
	struct id_set forgotten;       /* that a target had used; without memory for the set: */
	bool forgot_some;              /* any unknown channel may be one of these */
	uint64_t missing;              /* in channels that have been forgotten */
	const struct threads *threads; /* these three are borrowed */
	const struct join *join;
	struct baselines *baselines;
};

struct channel_table *channel_table__new(const struct threads *threads, const struct join *join,
					 struct baselines *baselines)
{
	struct channel_table *channels = calloc(1, sizeof(*channels));

	if (channels) {
		channels->threads = threads;
		channels->join = join;
		channels->baselines = baselines;
	}
	return channels;
}

static void channel_table_forget(struct channel_table *channels, struct channel *channel)
{
	LRU_DELETE(channels, channel);
	baselines_forget(channels->baselines, &channel->baseline);
	free(channel);
}

void channel_table__free(struct channel_table *channels)
{
	while (channels && channels->first)
		channel_table_forget(channels, channels->first);
	if (channels)
		id_set_clean(&channels->forgotten);
	free(channels);
}

struct channel *channel_table__find(struct channel_table *channels, uint32_t id)
{
	struct channel *channel = LRU_GET(channels, id);

	if (channel)
		ID_NOTE(channels, channel);
	return channel;
}

static uint64_t missing_of(const struct channel_table *channels, const struct channel *channel)
{
	return channel_usage_missing(&channel->usage, channel->id, channels->threads,
				     channels->join);
}

static void channel_table_make_room(struct channel_table *channels, struct channel *oldest)
{
	if (channel_usage_concerns(&oldest->usage, channels->threads))
		channels->forgot_some |= !id_set_add(&channels->forgotten, oldest->id);
	channels->missing += missing_of(channels, oldest);
	channel_table_forget(channels, oldest);
}

struct channel *channel_table__make(struct channel_table *channels, uint32_t id)
{
	struct channel *channel;

	LRU_FIND_OR_ADD(channels, id, channel, LRU_CHANNELS_MAX, channel_table_make_room);
	if (channel)
		channel->usage.had_target |= id_set_has(&channels->forgotten, id);
	return channel;
}

struct channel *channel_table__sending(struct channel_table *channels,
				       const struct record_send *send)
{
	struct channel *channel = channel_table__make(channels, send->channel);

	if (channel)
		channel->direction.is_lock |= (send->head.flags & SEND_BY_LOCK) != 0;
	return channel;
}

void channel_table__begins(struct channel_table *channels, uint32_t id)
{
	id_set_remove(&channels->forgotten, id);
}

bool channel_table__forgot(struct channel_table *channels, uint32_t id)
{
	return id != CHANNEL_UNKNOWN &&
	       (channels->forgot_some || id_set_has(&channels->forgotten, id)) &&
	       !channel_table__find(channels, id);
}

void channel_table__missing(const struct channel_table *channels, channel_missing_fn *fn, void *ctx)
{
	const struct joined nothing = {0};
	struct channel *channel, *next;

	HASH_ITER (hh, channels->first, channel, next) {
		const struct user *sender = &channel->usage.sender;
		const struct user *receiver = &channel->usage.receiver;
		const struct joined last = {
			.has_send = sender->tid,
			.send = {.head.tid = sender->tid, .send_ns = sender->at_ns},
			.has_receive = receiver->tid,
			.receive = {.head.tid = receiver->tid, .exit_ns = receiver->at_ns},
		};
		uint64_t cnt = missing_of(channels, channel);

		if (cnt)
			fn(ctx, &last, cnt);
	}
	if (channels->missing)
		fn(ctx, &nothing, channels->missing);
}
