/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects what the records say of one direction of a connection. */
#pragma once

#include "analysis/attach/connection.h"
#include "analysis/attach/server_end.h"

/*
 * One direction of a connection: a channel as the call matcher sees it. Part of struct channel.
 * ADDRESS may come before CHANNEL, which names the ends.
 */
struct call_direction {
	struct connection_ends ends; /* `low` 0: not known, or it has no reverse channel */
	bool from_low;
	enum server_end server;
	bool is_unix;
	bool is_pipe; /* `ends` are processes: the first pipe in each direction makes a connection
		       */
	bool is_new;  /* its first message has been traced */
};

/* Each record says more of the direction. */
void call_direction_channel(struct call_direction *direction, const struct record_channel *channel);
void call_direction_address(struct call_direction *direction, const struct record_address *address);
/* A pipe from one process to another. */
void call_direction_pipe(struct call_direction *direction, uint32_t sender_pid,
			 uint32_t receiver_pid);
void call_direction_baseline(struct call_direction *direction,
			     const struct record_baseline *baseline);
