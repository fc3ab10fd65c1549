/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps channels in a hash table. */
#include "analysis/history/channels.h"

#include "container/lru_table.h"

#include <errno.h>
#include <stdlib.h>

struct known_channel {
	uint32_t id;
	uint32_t used;
	uint32_t transport;
	uint64_t receiver; /* cookie */
	UT_hash_handle hh;
};

struct channels {
	LRU_TABLE(struct known_channel);
};

struct channels *channels__new(void)
{
	return calloc(1, sizeof(struct channels));
}

void channels__free(struct channels *channels)
{
	while (channels && channels->first)
		LRU_DROP(channels, channels->first);
	free(channels);
}

static struct known_channel *known_of(const struct channels *channels, uint32_t id)
{
	return LRU_GET(channels, id);
}

int channels__add(struct channels *channels, const struct record_channel *channel)
{
	struct known_channel *known;

	LRU_FIND_OR_ADD(channels, channel->channel, known, LRU_CHANNELS_MAX, LRU_DROP);
	if (!known)
		return -ENOMEM;
	known->transport = channel->transport;
	known->receiver = channel->receiver;
	return 0;
}

uint32_t channels__transport(struct channels *channels, uint32_t id)
{
	struct known_channel *known = known_of(channels, id);

	if (!known)
		return 0;
	LRU_USE(channels, known);
	return known->transport;
}

bool channels__same_receiver(const struct channels *channels, uint32_t a, uint32_t b)
{
	const struct known_channel *of_a = known_of(channels, a), *of_b = known_of(channels, b);

	return a == b || (of_a && of_b && of_a->receiver == of_b->receiver);
}
