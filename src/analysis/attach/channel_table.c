/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps channels in a hash table, and counts messages of forgotten ones that have no record. */
#include "analysis/attach/channel_table.h"

#include "container/id_set.h"
#include "container/lru_table.h"

#include <stdlib.h>

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
	struct channel *channel;

	LRU_FIND(channels, id, channel);
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
