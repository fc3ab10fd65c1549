/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/datagram_routes.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

#define WAYS_MAX (1u << 16)

struct way {
	uint32_t channel;
	uint64_t to;     /* the address that it leads to */
	uint64_t socket; /* 0: not known */
	bool to_group;   /* and to others */
	UT_hash_handle hh;
};

struct destination {
	uint64_t to;
	uint64_t socket; /* 0: several */
	UT_hash_handle hh;
};

struct datagram_routes {
	struct way *way;                 /* hash by channel, oldest first, and so is this: */
	struct destination *destination; /* by address */
};

struct datagram_routes *datagram_routes__new(void)
{
	return calloc(1, sizeof(struct datagram_routes));
}

static void forget_way(struct datagram_routes *ways, struct way *way)
{
	HASH_DEL(ways->way, way);
	free(way);
}

static void forget_destination(struct datagram_routes *ways, struct destination *destination)
{
	HASH_DEL(ways->destination, destination);
	free(destination);
}

void datagram_routes__free(struct datagram_routes *ways)
{
	struct destination *destination, *next_destination;
	struct way *way, *next_way;

	if (!ways)
		return;
	HASH_ITER (hh, ways->way, way, next_way)
		forget_way(ways, way);
	HASH_ITER (hh, ways->destination, destination, next_destination)
		forget_destination(ways, destination);
	free(ways);
}

static struct way *find_way(const struct datagram_routes *ways, uint32_t channel)
{
	struct way *way;

	HASH_FIND(hh, ways->way, &channel, sizeof(channel), way);
	return way;
}

static struct way *make_way(struct datagram_routes *ways, uint32_t channel)
{
	struct way *way = find_way(ways, channel);

	if (way)
		return way;
	if (HASH_COUNT(ways->way) >= WAYS_MAX)
		forget_way(ways, ways->way);
	way = calloc(1, sizeof(*way));
	if (!way)
		return NULL;
	way->channel = channel;
	HASH_ADD(hh, ways->way, channel, sizeof(way->channel), way);
	return way;
}

static struct destination *find_destination(const struct datagram_routes *ways, uint64_t to)
{
	struct destination *destination;

	HASH_FIND(hh, ways->destination, &to, sizeof(to), destination);
	return destination;
}

static int learn_destination(struct datagram_routes *ways, uint64_t to, uint64_t socket)
{
	struct destination *destination = find_destination(ways, to);

	if (destination) {
		if (destination->socket != socket)
			destination->socket = 0;
		return 0;
	}
	if (HASH_COUNT(ways->destination) >= WAYS_MAX)
		forget_destination(ways, ways->destination);
	destination = calloc(1, sizeof(*destination));
	if (!destination)
		return -ENOMEM;
	destination->to = to;
	destination->socket = socket;
	HASH_ADD(hh, ways->destination, to, sizeof(destination->to), destination);
	return 0;
}

int datagram_routes__add(struct datagram_routes *ways, const struct record_channel *channel)
{
	struct way *way = make_way(ways, channel->channel);

	if (!way)
		return -ENOMEM;
	if (channel->sender) {
		way->to = channel->receiver;
		return 0;
	}
	way->socket = channel->receiver;
	return way->to ? learn_destination(ways, way->to, way->socket) : 0;
}

void datagram_routes__to_group(struct datagram_routes *ways, uint32_t channel)
{
	struct way *way = find_way(ways, channel);

	if (way)
		way->to_group = true;
}

bool datagram_routes__is_to_group(const struct datagram_routes *ways, uint32_t channel)
{
	const struct way *way = find_way(ways, channel);

	return way && way->to_group;
}

uint64_t datagram_routes__socket(const struct datagram_routes *ways, uint32_t channel)
{
	const struct way *way = find_way(ways, channel);
	const struct destination *destination;

	if (!way || way->socket || !way->to)
		return way ? way->socket : 0;
	destination = find_destination(ways, way->to);
	return destination ? destination->socket : 0;
}
