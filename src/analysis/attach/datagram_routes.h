/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the socket that receives the datagrams of a UDP channel. A UDP channel is a pair of
 * addresses (sender and receiver). The first receive from a channel shows the socket. All channels
 * to the same address lead to the same socket, unless several sockets share the address
 * (SO_REUSEPORT).
 */
#pragma once

#include "bpf/record.h"

/* Addresses that are remembered; then the oldest is forgotten. */
#define DATAGRAM_ROUTES_MAX (1u << 16)

/* State of one channel; part of struct channel. */
struct datagram_route {
	uint64_t to;     /* the address that it leads to; 0: not known */
	uint64_t socket; /* cookie of the receiving socket; 0: not known */
};

/* Zero-initialised is empty. */
struct datagram_routes {
	struct destination *destination; /* hash by address, oldest first */
};

void datagram_routes_clean(struct datagram_routes *routes);

/* A channel is recorded, and again when its receiving socket is known. 0 or -ENOMEM. */
int datagram_routes_add(struct datagram_routes *routes, struct datagram_route *route,
			const struct record_channel *channel);

/* The cookie of its socket; 0: nothing was received there yet, or it may be one of several. */
uint64_t datagram_routes_socket(const struct datagram_routes *routes,
				const struct datagram_route *route);
