/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps counts by channel, and the last drop, receive and timeout of each sender that lost one. */
#include "analysis/attach/drops.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct lossy_channel {
	uint32_t id;
	uint64_t reason[NR_DROP_REASONS];
	uint64_t buffer_bytes;
	UT_hash_handle hh;
};

struct lossy_sender {
	uint32_t tid;
	uint64_t drop_ns;     /* its last datagram that was dropped */
	uint64_t received_ns; /* it has received then, for the last time since; 0: nothing */

	/* A sleep after that; the next one comes when all records of this one have come. */
	uint64_t lost_ns; /* what was `drop_ns` then */
	uint64_t wake_ns; /* 0: none */
	uint64_t asked_ns;
	UT_hash_handle hh;
};

struct datagram_id {
	uint64_t position;
	uint64_t channel;
};

struct kept_drop {
	struct datagram_id id;
	struct record_drop record;
	UT_hash_handle hh;
};

struct drops {
	struct kept_drop *kept;        /* hash by id, oldest first */
	struct lossy_channel *channel; /* hash by id, oldest first */
	struct lossy_sender *sender;   /* hash by tid, oldest first */
	struct drops_summary sum;
};

struct drops *drops__new(void)
{
	return calloc(1, sizeof(struct drops));
}

void drops__free(struct drops *drops)
{
	if (!drops)
		return;
	HASH_DROP_ALL(drops->channel);
	HASH_DROP_ALL(drops->sender);
	HASH_DROP_ALL(drops->kept);
	free(drops);
}

static struct lossy_channel *lossy_channel_of(struct drops *drops, uint32_t id)
{
	struct lossy_channel *channel;

	HASH_FIND(hh, drops->channel, &id, sizeof(id), channel);
	if (channel)
		return channel;
	if (HASH_COUNT(drops->channel) >= DROPS_CHANNELS_MAX)
		HASH_DROP(drops->channel, drops->channel);
	HASH_ADD_NEW(drops->channel, id, id, channel);
	return channel;
}

static struct lossy_sender *lossy_sender_find(struct drops *drops, uint32_t tid)
{
	struct lossy_sender *sender;

	HASH_FIND(hh, drops->sender, &tid, sizeof(tid), sender);
	return sender;
}

static struct lossy_sender *lossy_sender_of(struct drops *drops, uint32_t tid)
{
	struct lossy_sender *sender = lossy_sender_find(drops, tid);

	if (sender)
		return sender;
	if (HASH_COUNT(drops->sender) >= DROPS_THREADS_MAX)
		HASH_DROP(drops->sender, drops->sender);
	HASH_ADD_NEW(drops->sender, tid, tid, sender);
	return sender;
}

static int add_drop(struct drops *drops, const struct record_drop *record)
{
	uint32_t reason = record->reason < NR_DROP_REASONS ? record->reason : DROP_OTHER;
	struct lossy_channel *channel = lossy_channel_of(drops, record->channel);
	struct lossy_sender *sender = lossy_sender_of(drops, record->head.tid);

	if (!channel || !sender)
		return -ENOMEM;
	drops->sum.reason[reason]++;
	channel->reason[reason]++;
	if (record->buffer_bytes)
		channel->buffer_bytes = record->buffer_bytes;
	if (record->at_ns > sender->drop_ns)
		sender->drop_ns = record->at_ns;
	return 0;
}

/* For drops__sent(). 0 or -ENOMEM. */
static int keep_drop(struct drops *drops, const struct record_drop *record)
{
	const struct datagram_id id = {.position = record->position, .channel = record->channel};
	struct kept_drop *kept;

	HASH_FIND(hh, drops->kept, &id, sizeof(id), kept);
	if (!kept && HASH_COUNT(drops->kept) >= DROPS_KEPT_MAX)
		HASH_DROP(drops->kept, drops->kept);
	if (!kept)
		HASH_ADD_NEW(drops->kept, id, id, kept);
	if (!kept)
		return -ENOMEM;
	kept->record = *record;
	return 0;
}

int drops__record(struct drops *drops, struct join *join, const struct record_drop *record)
{
	struct record_drop drop = *record;

	if (record->head.flags & DROP_LATER)
		drop.head.tid = join__drop(join, drop.channel, drop.position);
	return drop.head.tid || !(record->head.flags & DROP_LATER) ? add_drop(drops, &drop)
								   : keep_drop(drops, &drop);
}

int drops__sent(struct drops *drops, struct join *join, const struct record_send *send)
{
	const struct datagram_id id = {.position = send->position, .channel = send->channel};
	struct kept_drop *kept = NULL;
	struct record_drop drop;

	if (drops->kept)
		HASH_FIND(hh, drops->kept, &id, sizeof(id), kept);
	if (!kept)
		return 0;
	drop = kept->record;
	HASH_DROP(drops->kept, kept);
	drop.head.tid = join__drop(join, send->channel, send->position);
	return drop.head.tid ? add_drop(drops, &drop) : 0;
}

/* Whether the sender has received something between the drop and the end of its sleep. */
static bool was_answered(const struct lossy_sender *sender)
{
	return sender->received_ns > sender->lost_ns && sender->received_ns <= sender->wake_ns;
}

static void count_wait(struct drops_summary *sum, const struct lossy_sender *sender)
{
	sum->timeouts++;
	if (sum->timeouts == 1 || sender->asked_ns < sum->timeout_least_ns)
		sum->timeout_least_ns = sender->asked_ns;
	if (sender->asked_ns > sum->timeout_most_ns)
		sum->timeout_most_ns = sender->asked_ns;
	sum->timeout_tid = sender->tid;
}

static void drops_settle_sender(struct drops *drops, struct lossy_sender *sender)
{
	if (sender->wake_ns && !was_answered(sender))
		count_wait(&drops->sum, sender);
	sender->wake_ns = 0;
}

/*
 *	lost             starts to wait             timeout
 *	  |                   |                        |
 *	drop_ns           started_ns                wake_ns
 */
void drops__timeout(struct drops *drops, const struct record_timeout *record)
{
	struct lossy_sender *sender = lossy_sender_find(drops, record->head.tid);

	if (!sender || !(record->head.flags & TIMEOUT_FOR_DATA) || !record->asked_ns ||
	    record->started_ns <= sender->drop_ns)
		return;
	/* The next timeout without another drop: the same loss. */
	if (sender->lost_ns == sender->drop_ns)
		return;
	drops_settle_sender(drops, sender);
	sender->lost_ns = sender->drop_ns;
	sender->wake_ns = record->wake_ns;
	sender->asked_ns = record->asked_ns;
}

void drops__received(struct drops *drops, const struct record_receive *receive)
{
	struct lossy_sender *sender =
		drops->sender ? lossy_sender_find(drops, receive->head.tid) : NULL;

	/* What was received behind the sleep says nothing of it. */
	if (!sender || (sender->wake_ns && receive->exit_ns > sender->wake_ns))
		return;
	if (receive->exit_ns > sender->received_ns)
		sender->received_ns = receive->exit_ns;
}

void drops__settle(struct drops *drops, uint64_t before_ns)
{
	struct lossy_sender *sender, *next;

	HASH_ITER (hh, drops->sender, sender, next) {
		if (sender->wake_ns < before_ns)
			drops_settle_sender(drops, sender);
	}
}

/* The channel and the reason with the most drops. */
static void drops_find_most(const struct drops *drops, struct drops_summary *sum)
{
	const struct lossy_channel *channel, *next;

	HASH_ITER (hh, drops->channel, channel, next) {
		for (uint32_t i = 0; i < NR_DROP_REASONS; i++) {
			if (channel->reason[i] <= sum->channel_cnt)
				continue;
			sum->channel = channel->id;
			sum->channel_reason = i;
			sum->channel_cnt = channel->reason[i];
			sum->buffer_bytes = i == DROP_BUFFER_FULL ? channel->buffer_bytes : 0;
		}
	}
}

void drops__finish(struct drops *drops, struct drops_summary *summary)
{
	drops__settle(drops, UINT64_MAX);
	*summary = drops->sum;
	drops_find_most(drops, summary);
}
