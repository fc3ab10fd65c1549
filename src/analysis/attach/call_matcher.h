/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds calls among the messages of a connection. A call is a request with its answer. The matcher
 * knows the times of messages, but not the contents. A message from the server answers all
 * requests that the server has received but not yet answered:
 *
 *	client   send 1  send 2                            recv
 *	server      recv 1  recv 2 ... service ... send
 *
 * The drawing shows two calls with one answer. Further messages from the server belong to no call
 * until the next request arrives.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "analysis/statistics/service_blame.h"
#include "model/summary.h"

/* Open requests of one connection; when there are more, the oldest is forgotten. */
#define CALL_MATCHER_OPEN_MAX 4096

/* Open requests of all connections; when there are more, the quietest connection is forgotten. */
#define CALL_MATCHER_ALL_OPEN_MAX (1u << 18)

/* Connections that are remembered; then the quietest is forgotten. */
#define CALL_MATCHER_CONNECTIONS_MAX 65536

/* Both ends of a connection (socket cookies), the lesser first. */
struct connection_ends {
	uint64_t low;
	uint64_t high;
};

/* Which end serves, as far as the addresses show. */
enum server_end { SERVER_UNKNOWN, SERVER_SENDS, SERVER_RECEIVES };

/*
 * One direction of a connection: a channel as the call matcher sees it. Part of struct channel.
 * ADDRESS may come before CHANNEL, which names the ends.
 */
struct call_direction {
	struct connection_ends ends; /* `low` 0: not known, or it has no reverse channel */
	bool from_low;
	enum server_end server;
	bool is_unnamed; /* neither end has an address */
	bool is_unix;
	bool is_new; /* its first message has been traced */
};

/* Each record says more of the direction. */
void call_direction_channel(struct call_direction *direction, const struct record_channel *channel);
void call_direction_address(struct call_direction *direction, const struct record_address *address);
void call_direction_baseline(struct call_direction *direction,
			     const struct record_baseline *baseline);

struct call_matcher;

struct call_matcher *call_matcher__new(void); /* NULL: out of memory */
void call_matcher__free(struct call_matcher *matcher);

/* Gets the channel of each request that was answered. */
typedef void call_matcher_fn(void *ctx, uint32_t channel);

/*
 * Messages come in the order of their receive, except for a few: a request may come after its
 * answer. `from_target`: the sender is a target and the receiver is none. Completed calls go into
 * `calls`; `lines` cuts their service, and `blame` gets the waits for a CPU in it. Returns 1 for an
 * answer or a possible part of one, else 0, or -ENOMEM.
 */
int call_matcher__message(struct call_matcher *matcher, const struct call_direction *direction,
			  const struct message *message, bool from_target, struct timelines *lines,
			  struct service_blame *blame, struct calls_summary *calls,
			  call_matcher_fn *on_call, void *ctx);

/* All open requests were received at or after this instant; UINT64_MAX: none is open. */
uint64_t call_matcher__horizon(const struct call_matcher *matcher);
