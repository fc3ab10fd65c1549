/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/baseline.h"

#include "analysis/container/array.h"
#include "analysis/container/id_cache.h"

#include <errno.h>
#include <stdlib.h>

struct held {
	struct record_receive receive;
	size_t change_cnt;
};

struct channel_start {
	uint32_t id;
	bool known;
	bool hopeless; /* it cannot be told, and nobody will */
	bool resyncs;  /* its first message has not come yet */
	uint64_t leftover;
	struct held *held;
	size_t held_cnt, held_room;
	uint64_t lost_from, lost_end; /* positions of receives for which there was no room */
	UT_hash_handle hh;
};

struct baselines {
	struct channel_start *channel; /* hash by id, quiet ones first */
	ID_CACHE(struct channel_start);
	size_t held_cnt;
	baselines_put_fn *put;
	void *ctx;
};

struct baselines *baselines__new(baselines_put_fn *put, void *ctx)
{
	struct baselines *starts = calloc(1, sizeof(*starts));

	if (starts) {
		starts->put = put;
		starts->ctx = ctx;
	}
	return starts;
}

static void forget_held(struct baselines *starts, struct channel_start *channel)
{
	starts->held_cnt -= channel->held_cnt;
	free(channel->held);
	channel->held = NULL;
	channel->held_cnt = channel->held_room = 0;
}

static void forget(struct baselines *starts, struct channel_start *channel)
{
	ID_DELETE(starts, starts->channel, channel);
	forget_held(starts, channel);
	free(channel);
}

void baselines__free(struct baselines *starts)
{
	struct channel_start *channel, *next;

	if (!starts)
		return;
	HASH_ITER (hh, starts->channel, channel, next)
		forget(starts, channel);
	free(starts);
}

static struct channel_start *find(const struct baselines *starts, uint32_t id)
{
	struct channel_start *channel;

	ID_FIND(starts, starts->channel, id, channel);
	return channel;
}

static struct channel_start *find_or_make(struct baselines *starts, uint32_t id)
{
	struct channel_start *channel = find(starts, id);

	if (channel && !channel->hh.next)
		return channel;
	if (channel) {
		HASH_DEL(starts->channel, channel);
	} else {
		if (HASH_COUNT(starts->channel) >= BASELINES_CHANNELS_MAX)
			forget(starts, starts->channel);
		channel = calloc(1, sizeof(*channel));
		if (!channel)
			return NULL;
		channel->id = id;
	}
	HASH_ADD(hh, starts->channel, id, sizeof(channel->id), channel);
	ID_NOTE(starts, channel);
	return channel;
}

/*
 * Of a receive that takes the end of the leftover and the beginning of a send, the latter. There is
 * less than no leftover where part of the first send was taken before receives were counted.
 */
static int put_shifted(struct baselines *starts, const struct channel_start *channel,
		       const struct record_receive *receive, size_t change_cnt)
{
	struct record_receive shifted = *receive;
	int64_t from = (int64_t)(receive->position - channel->leftover);
	int64_t end = from + receive->bytes;

	if (from >= 0) {
		shifted.position = from;
	} else if (channel->id & CHANNEL_STREAM && end > 0) {
		shifted.position = 0;
		shifted.bytes = end;
	} else {
		return 0;
	}
	return starts->put(starts->ctx, &shifted, change_cnt);
}

static void lose(struct channel_start *channel, const struct record_receive *receive)
{
	uint64_t size = channel->id & CHANNEL_STREAM ? receive->bytes : 1;

	if (!channel->lost_end || receive->position < channel->lost_from)
		channel->lost_from = receive->position;
	if (receive->position + size > channel->lost_end)
		channel->lost_end = receive->position + size;
}

static int hold(struct baselines *starts, struct channel_start *channel,
		const struct record_receive *receive, size_t change_cnt)
{
	if (starts->held_cnt == BASELINES_HELD_MAX ||
	    channel->held_cnt == BASELINES_HELD_OF_ONE_MAX) {
		lose(channel, receive);
		return 0;
	}
	if (array_grow(&channel->held, channel->held_cnt, &channel->held_room,
		       sizeof(*channel->held)))
		return -ENOMEM;
	channel->held[channel->held_cnt++] =
		(struct held){.receive = *receive, .change_cnt = change_cnt};
	starts->held_cnt++;
	return 0;
}

int baselines__add(struct baselines *starts, const struct record_baseline *start)
{
	struct channel_start *channel = find_or_make(starts, start->channel);
	int err = 0, put_err;

	if (!channel)
		return -ENOMEM;
	/* Both ends may find it out at the same time. */
	if (channel->known)
		return 0;
	channel->known = start->leftover != BASELINE_UNKNOWN;
	channel->hopeless = !channel->known;
	channel->resyncs = channel->known && !start->is_new;
	channel->leftover = start->leftover;
	for (size_t i = 0; i < channel->held_cnt && channel->known; i++) {
		put_err = put_shifted(starts, channel, &channel->held[i].receive,
				      channel->held[i].change_cnt);
		err = err ? err : put_err;
	}
	forget_held(starts, channel);
	return err;
}

int baselines__receive(struct baselines *starts, const struct record_receive *receive,
		       size_t change_cnt)
{
	struct channel_start *channel = find_or_make(starts, receive->channel);

	if (!channel)
		return -ENOMEM;
	if (channel->known)
		return put_shifted(starts, channel, receive, change_cnt);
	if (channel->hopeless)
		return 0;
	return hold(starts, channel, receive, change_cnt);
}

bool baselines__known(const struct baselines *starts, uint32_t channel)
{
	const struct channel_start *known = find(starts, channel);

	return known && known->known;
}

bool baselines__lost(const struct baselines *starts, uint32_t channel, uint64_t position)
{
	const struct channel_start *known = find(starts, channel);

	return known && known->lost_end && position + known->leftover >= known->lost_from &&
	       position + known->leftover < known->lost_end;
}

bool baselines__resyncs(struct baselines *starts, uint32_t channel)
{
	struct channel_start *known = find(starts, channel);
	bool resyncs = known && known->resyncs;

	if (resyncs)
		known->resyncs = false;
	return resyncs;
}
