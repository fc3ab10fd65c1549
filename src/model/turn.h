/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what a message waited behind, and which threads were free to take it meanwhile. */
#pragma once

#include "model/message.h"

/*
 * The receiver handled something else while the message was there (level deep; else all is 0):
 *
 *	queued                                            received
 *	  |  busy with others | run queue | busy with others | receive
 *	  |<-    waited_ns  ->|           |<-  waited_ns   ->|
 */
struct unit_turn {
	uint64_t waited_ns;
	uint32_t before;    /* calls of others that it answered until then */
	uint32_t accepted;  /* connections that it had accepted at once; 0: not known */
	struct blame other; /* a thread that waited for connections of the same listener; tid 0:
			     * none */
	uint64_t other_ns;  /* for so long, of waited_ns */
	uint32_t others;    /* such threads that did so for at least half of waited_ns */
};
