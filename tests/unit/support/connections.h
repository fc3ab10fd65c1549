/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of connections to one listener, made by hand. */
#pragma once

#include "support/build.h"

#include "bpf/record_connections.h"

enum { LISTENER = 0x777, CONNECTING_SOCKET = 41, CONNECTING_INODE = 77 };

/* Connected. `number`: of the connection, as in CONNECT. */
static inline struct record_connect make_connect(uint32_t tid, uint16_t family, uint32_t number,
						 uint64_t enter_ns, uint64_t exit_ns)
{
	struct record_connect connect = {
		.head = record_head(RECORD_CONNECT, sizeof(connect), 0, tid),
		.family = family,
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
		.address = CONNECTING_SOCKET,
		.number = number,
		.listener = LISTENER,
	};

	connect.head.flags = CONNECT_TO_TARGET;
	return connect;
}

static inline struct record_accept make_accept(uint32_t tid, uint16_t family, uint32_t number,
					       uint64_t enter_ns, uint64_t exit_ns)
{
	return (struct record_accept){
		.head = record_head(RECORD_ACCEPT, sizeof(struct record_accept), 0, tid),
		.family = family,
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
		.address = CONNECTING_SOCKET,
		.number = number,
		.listener = LISTENER,
	};
}
