/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects what the records say of one direction of a connection, and decides which of its ends
 * serves, as far as that does not depend on its messages.
 */
#pragma once

#include "model/summary.h"

#include <stdbool.h>
#include <stdint.h>

/* Both ends of a connection (socket cookies), the lesser first. */
struct connection_ends {
	uint64_t low;
	uint64_t high;
};

/* Which end of a message serves. */
enum server_end { SERVER_UNKNOWN, SERVER_SENDS, SERVER_RECEIVES };

/* What the user says: a process by its number, or processes by a glob; empty: nothing. Borrowed. */
struct asked_ends {
	const char *server; /* serves */
	const char *client; /* calls */
};

/* If both ends are meant, or none, nothing is said. */
enum server_end server_end_asked(const struct asked_ends *asked, const struct end_summary *sender,
				 const struct end_summary *receiver);

/* By the ends that are targets, bits of ADDRESS_OF_: the only one serves. */
enum server_end server_end_of(uint32_t targets);

/*
 * One direction of a connection: a channel as the call matcher sees it. Part of struct channel.
 * ADDRESS may come before CHANNEL, which names the ends.
 */
struct call_direction {
	struct connection_ends ends; /* `low` 0: not known, or it has no reverse channel */
	bool from_low;
	enum server_end server;
	bool is_unix;
	bool is_udp;
	bool is_pipe; /* `ends` are processes: the first pipe in each direction makes a connection
		       */
	bool is_new;  /* its first message has been traced */
	bool is_lock; /* both ends wait for the same word: it is a lock, and neither end serves */
};

/* Each record says more of the direction. */
void call_direction_channel(struct call_direction *direction, const struct record_channel *channel);
void call_direction_address(struct call_direction *direction, const struct record_address *address);
/* A pipe from one process to another. */
void call_direction_pipe(struct call_direction *direction, uint32_t sender_pid,
			 uint32_t receiver_pid);
/*
 * A datagram from one process to another. Each network namespace may have the same addresses, so
 * the process of the client, if known, is a part of both ends. Another process may send the answer.
 */
void call_direction_udp(struct call_direction *direction, uint32_t sender_pid,
			uint32_t receiver_pid);
/* One of the above, if the processes matter on this transport. */
void call_direction_processes(struct call_direction *direction, uint32_t transport,
			      uint32_t sender_pid, uint32_t receiver_pid);

/* What is known of the threads at both ends of a message. */
struct message_ends {
	enum server_end asked;  /* which end serves, as the user says */
	enum server_end target; /* which end is the only target */
	bool is_within;         /* both are threads of one process */
	bool was_idle;          /* tracing has begun so long before that no call was under way */
};
