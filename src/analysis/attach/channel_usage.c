/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/channel_usage.h"

#include "analysis/container/lru_table.h"
#include "model/record_decode.h"

#include <stdlib.h>

/* What nobody here has taken anything of for so long leads to another machine. */
#define ELSEWHERE_NS 2000000000ULL

struct channel_usages {
	struct channel_usage *first; /* hash by id, see lru_table.h */
	uint32_t clock;
	ID_CACHE(struct channel_usage);
	bool has_forgotten;
	uint64_t missing;              /* in channels that have been forgotten */
	uint64_t stop_ns;              /* sends that began later are not known; 0: not stopped */
	const struct threads *threads; /* borrowed */
	const struct join *join;       /* borrowed */
};

struct channel_usages *channel_usages__new(const struct threads *threads, const struct join *join)
{
	struct channel_usages *channels = calloc(1, sizeof(*channels));

	if (channels) {
		channels->threads = threads;
		channels->join = join;
	}
	return channels;
}

static void forget(struct channel_usages *channels, struct channel_usage *seen)
{
	LRU_DELETE(channels, seen);
	free(seen);
}

void channel_usages__free(struct channel_usages *channels)
{
	struct channel_usage *seen, *next;

	if (!channels)
		return;
	HASH_ITER (hh, channels->first, seen, next)
		forget(channels, seen);
	free(channels);
}

struct user user_of_send(const struct record_send *send)
{
	return (struct user){.tid = send->head.tid,
			     .at_ns = send->send_ns ? send->send_ns : send->queued_ns};
}

struct user user_of_receive(const struct record_receive *receive)
{
	return (struct user){.tid = receive->head.tid, .at_ns = receive->exit_ns};
}

static bool is_inet(const struct channel_usage *seen)
{
	return transport_is_udp(seen->transport) || transport_is_tcp(seen->transport);
}

/* Whether nothing shows that somebody on this machine receives what is sent. */
static bool may_leave(const struct channel_usage *seen)
{
	return is_inet(seen) && !seen->has_receive && !seen->has_arrived;
}

bool channel_usage_is_elsewhere(const struct channel_usage *seen)
{
	return may_leave(seen) || (is_inet(seen) && !seen->has_send);
}

static bool is_target(const struct channel_usages *channels, struct user user)
{
	return threads__is_target(channels->threads, user.tid, user.at_ns);
}

bool channel_usages__concerns(const struct channel_usages *channels,
			      const struct channel_usage *seen)
{
	return seen->concerns || is_target(channels, seen->sender) ||
	       is_target(channels, seen->receiver);
}

/*
 * Every message has its position: those between the first and the last one that are not known. Of a
 * stream, each gap has had one at least. What was sent behind the last one is not known; nor of UDP
 * anything, as a datagram that goes over several devices takes a position at each.
 */
static uint64_t missing_of(const struct channel_usages *channels, const struct channel_usage *seen)
{
	uint64_t begin = seen->first_send + seen->known, end = seen->sends_end;

	if (!seen->has_send || transport_is_udp(seen->transport) || may_leave(seen) ||
	    !channel_usages__concerns(channels, seen))
		return 0;
	if (seen->id & CHANNEL_STREAM) {
		begin = seen->known;
		end = join__gaps(channels->join, seen->id);
	}
	return end > begin ? end - begin : 0;
}

struct channel_usage *channel_usages__find(const struct channel_usages *channels, uint32_t id)
{
	struct channel_usage *seen;

	LRU_FIND(channels, id, seen);
	return seen;
}

struct channel_usage *channel_usages__make(struct channel_usages *channels, uint32_t id)
{
	struct channel_usage *seen = channel_usages__find(channels, id);

	if (seen) {
		LRU_USE(channels, seen);
		return seen;
	}
	if (LRU_OLDEST(channels, LRU_CHANNELS_MAX)) {
		channels->has_forgotten = true;
		channels->missing += missing_of(channels, channels->first);
		forget(channels, channels->first);
	}
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	seen->id = id;
	HASH_ADD(hh, channels->first, id, sizeof(seen->id), seen);
	return seen;
}

bool channel_usages__forgot(const struct channel_usages *channels, uint32_t id)
{
	return channels->has_forgotten && id != CHANNEL_UNKNOWN &&
	       !channel_usages__find(channels, id);
}

void channel_usages__stop(struct channel_usages *channels, uint64_t at_ns)
{
	channels->stop_ns = at_ns;
}

bool channel_usages__is_past_stop(const struct channel_usages *channels, uint64_t at_ns)
{
	return channels->stop_ns && at_ns > channels->stop_ns;
}

/* Whether that is a target may be told of later: it is asked for when somebody wants to know. */
static void note_user(const struct channel_usages *channels, struct channel_usage *seen,
		      struct user *last, struct user user)
{
	if (last->tid != user.tid)
		seen->concerns |= is_target(channels, *last);
	*last = user;
}

/* Something has been sent up to there. */
static void note_end(struct channel_usage *seen, uint64_t end)
{
	if (end > seen->sends_end)
		seen->sends_end = end;
}

/* Of a stream, the join knows where one is missing; what leaves, it does not get. */
static void note_known(const struct channel_usages *channels, struct channel_usage *seen,
		       const struct record_send *send, bool leaves)
{
	bool is_stream = seen->id & CHANNEL_STREAM;

	if (!is_stream && channel_usages__is_past_stop(channels, send_counted_ns(send)))
		return;
	note_end(seen, send->position + (is_stream ? send->bytes : 1));
	seen->known += leaves || !is_stream;
}

bool channel_usages__sent(const struct channel_usages *channels, struct channel_usage *seen,
			  const struct record_send *send)
{
	bool leaves;

	if (!seen->has_send || send->position < seen->first_send)
		seen->first_send = send->position;
	if (!seen->has_send)
		seen->first_send_ns = send->send_ns;
	seen->has_send = true;
	seen->has_arrived |= transport_is_tcp(seen->transport) && send->queued_ns;
	seen->has_senders |= seen->sender.tid && seen->sender.tid != send->head.tid;
	note_user(channels, seen, &seen->sender, user_of_send(send));
	leaves = may_leave(seen) && send->send_ns > seen->first_send_ns + ELSEWHERE_NS;
	note_known(channels, seen, send, leaves);
	return leaves;
}

void channel_usages__sent_beside(const struct channel_usages *channels, struct channel_usage *seen,
				 const struct record_beside *beside)
{
	/* The one who sends there may have slept in the middle. */
	seen->has_senders |= seen->sender.tid && seen->sender.tid != beside->head.tid;
	/* Of a stream, gaps are counted up to its end, where one may be in front of another's. */
	seen->known += !channel_usages__is_past_stop(channels, beside->until_ns) ||
		       (seen->id & CHANNEL_STREAM && seen->has_senders);
}

void channel_usages__taken(const struct channel_usages *channels, struct channel_usage *seen,
			   const struct record_receive *receive)
{
	seen->has_receive = true;
	seen->has_receivers |= seen->receiver.tid && seen->receiver.tid != receive->head.tid;
	note_user(channels, seen, &seen->receiver, user_of_receive(receive));
}

void channel_usage_gave_up(struct channel_usage *seen, const struct record_send *send,
			   uint64_t now_ns)
{
	if (!seen->given_up_ns)
		seen->given_up_ns = now_ns;
	if (send->position >= seen->given_up_end)
		seen->given_up_end = send->position + 1;
}

bool channel_usage_was_given_up(const struct channel_usage *seen,
				const struct record_receive *receive)
{
	return seen->given_up_ns && receive->exit_ns >= seen->given_up_ns &&
	       receive->position < seen->given_up_end;
}

void channel_usage_lacks_send(struct channel_usage *seen, const struct record_receive *receive)
{
	seen->known++;
	if (!(seen->id & CHANNEL_STREAM))
		note_end(seen, receive->position + 1);
}

void channel_usages__missing(const struct channel_usages *channels, channel_usage_missing_fn *fn,
			     void *ctx)
{
	const struct joined nobody = {0};
	struct channel_usage *seen, *next;

	HASH_ITER (hh, channels->first, seen, next) {
		const struct joined last = {
			.has_send = seen->sender.tid,
			.send = {.head.tid = seen->sender.tid, .send_ns = seen->sender.at_ns},
			.has_receive = seen->receiver.tid,
			.receive = {.head.tid = seen->receiver.tid,
				    .exit_ns = seen->receiver.at_ns},
		};
		uint64_t cnt = missing_of(channels, seen);

		if (cnt)
			fn(ctx, &last, cnt);
	}
	if (channels->missing)
		fn(ctx, &nobody, channels->missing);
}
