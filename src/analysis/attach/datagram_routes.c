/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps each UDP address to the socket that receives datagrams for this address. An address is
 * added when a thread first receives a datagram for this address.
 */
#include "analysis/attach/datagram_routes.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct destination {
	uint64_t to;     /* address */
	uint64_t socket; /* 0: several */
	UT_hash_handle hh;
};

static void datagram_routes_forget(struct datagram_routes *routes, struct destination *destination)
{
	HASH_DEL(routes->destination, destination);
	free(destination);
}

void datagram_routes_clean(struct datagram_routes *routes)
{
	while (routes->destination)
		datagram_routes_forget(routes, routes->destination);
}

static struct destination *datagram_routes_find(const struct datagram_routes *routes, uint64_t to)
{
	struct destination *destination;

	HASH_FIND(hh, routes->destination, &to, sizeof(to), destination);
	return destination;
}

static int learn(struct datagram_routes *routes, uint64_t to, uint64_t socket)
{
	struct destination *destination = datagram_routes_find(routes, to);

	if (destination) {
		if (destination->socket != socket)
			destination->socket = 0;
		return 0;
	}
	if (HASH_COUNT(routes->destination) >= DATAGRAM_ROUTES_MAX)
		datagram_routes_forget(routes, routes->destination);
	destination = calloc(1, sizeof(*destination));
	if (!destination)
		return -ENOMEM;
	destination->to = to;
	destination->socket = socket;
	HASH_ADD(hh, routes->destination, to, sizeof(destination->to), destination);
	return 0;
}

int datagram_routes_add(struct datagram_routes *routes, struct datagram_route *route,
			const struct record_channel *channel)
{
	if (channel->sender) {
		route->to = channel->receiver;
		return 0;
	}
	route->socket = channel->receiver;
	return route->to ? learn(routes, route->to, route->socket) : 0;
}

uint64_t datagram_routes_socket(const struct datagram_routes *routes,
				const struct datagram_route *route)
{
	const struct destination *destination;

	if (route->socket || !route->to)
		return route->socket;
	destination = datagram_routes_find(routes, route->to);
	return destination ? destination->socket : 0;
}
