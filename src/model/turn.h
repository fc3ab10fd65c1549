/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what a message waited behind, and which threads were free to take it meanwhile. */
#pragma once

#include "model/message.h"

/* What a thread has in common with the receiver. */
enum turn_share {
	SHARE_SOCKET, /* both accept from one listening socket */
	SHARE_EPOLL,  /* the epoll that both wait in watches what the message came from */
	SHARE_PORT,   /* each has a socket of its own on one port (SO_REUSEPORT) */
	NR_SHARES
};

/*
 * The receiver handled something else while the message was there (level deep; else all is 0):
 *
 *	queued                                            received
 *	  |  busy with others | run queue | busy with others | receive
 *	  |<-    waited_ns  ->|           |<-  waited_ns   ->|
 */
struct unit_turn {
	uint64_t waited_ns;
	uint32_t before;       /* calls of others that it answered until then */
	uint32_t accepted;     /* connections that it had accepted at once; 0: not known */
	enum turn_share share; /* of the threads that are meant below: */
	struct blame other;    /* one that slept meanwhile, and waited for work; tid 0: none */
	uint64_t other_ns;     /* for so long, of waited_ns */
	uint32_t others;       /* such threads that did so for at least half of waited_ns */
};
