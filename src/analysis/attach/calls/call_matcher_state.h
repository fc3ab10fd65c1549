/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the state of call_matcher.c, which finds the calls of connections. call_facts.c and
 * trial.c read and set it. No other file includes this header.
 */
#pragma once

#include "analysis/attach/calls/call_direction.h"
#include "analysis/attach/calls/exchange.h"
#include "analysis/attach/calls/last_receives.h"

#include <uthash.h>

enum client_end { CLIENT_LOW, CLIENT_HIGH };

/* How the client end was found. */
enum basis {
	BASIS_GUESS,   /* it sent first */
	BASIS_TARGET,  /* the other end is the only target */
	BASIS_STARTED, /* it sent the very first message of the connection */
	BASIS_NAME,    /* the other end has a name */
	BASIS_FIRST,   /* the same, but this end sent first, see trial_begin() */
	BASIS_ASKED,   /* the user says so */
};

/* A message of which a part was received. */
struct begun_message {
	uint32_t channel; /* + 1; 0: none */
	uint64_t position;
};

static inline bool begun_message_is(const struct begun_message *begun,
				    const struct message *message)
{
	return begun->channel == message->channel + 1 && begun->position == message->position;
}

struct connection {
	struct connection_ends ends;
	enum client_end client;
	enum basis basis;
	uint32_t direction[2]; /* channel + 1, from `low` first; 0: no message yet */
	struct begun_message begun[2];
	bool has_message;
	bool is_lock;                /* its threads make no calls */
	uint32_t trial;              /* answers until BASIS_FIRST is certain enough */
	struct request_id forwarded; /* the same: its first request was sent for this one */
	struct exchange exchange;
	struct connection *prev_open, *next_open; /* NULL: it needs no history */
	UT_hash_handle hh;
};

struct call_matcher {
	struct call_output output;
	struct last_receives *received;
	uint64_t requests;             /* so many had a number of their own */
	struct connection *connection; /* hash by ends, quiet ones first */
	struct connection *open;       /* list of those that need history */
	size_t open_cnt;               /* requests of all connections */
};

/* At the first message of the connection: the end without a name may serve, as behind a broker. */
void trial_begin(const struct call_matcher *matcher, struct connection *connection,
		 const struct call_direction *direction, const struct message *message,
		 const struct message_ends *ends);

/*
 * At each further message of a trial. True: the end that sent first serves, and what it has sent
 * were no requests.
 */
bool trial_ends(const struct call_matcher *matcher, struct connection *connection,
		const struct call_direction *direction);
