/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the connections among the channels, and which end of each is the client. exchange.c finds
 * the calls of a connection. A call is a request with its answer.
 */
#pragma once

#include "analysis/attach/calls/call_direction.h"
#include "analysis/attach/calls/exchange.h"
#include "model/window_records.h"

/* Open requests of all connections; when there are more, the quietest connection is forgotten. */
#define CALL_MATCHER_ALL_OPEN_MAX (1u << 18)

/* Connections that are remembered; then the quietest is forgotten. */
#define CALL_MATCHER_CONNECTIONS_MAX 65536

struct call_matcher;

struct call_matcher *call_matcher__new(const struct call_output *output); /* NULL: out of memory */
void call_matcher__free(struct call_matcher *matcher);

/*
 * Messages come in the order of their receive, except for a few: a request may come after its
 * answer. Returns 1 for an answer or a possible part of one, else 0, -ENOMEM, or what on_call()
 * returned.
 */
int call_matcher__message(struct call_matcher *matcher, const struct call_direction *direction,
			  const struct message *message, const struct message_ends *ends);

/*
 * The processes of a message, before it is added: they are a part of `direction->ends` where others
 * may have the same ones, see call_direction_processes(). If nothing else shows which end of UDP
 * serves, the one that began the connection is the client.
 */
void call_matcher__set_processes(const struct call_matcher *matcher,
				 struct call_direction *direction, const struct message_ends *ends,
				 uint32_t transport, uint32_t sender_pid, uint32_t receiver_pid);

/*
 * A receive got a part of this message, of which `recv_ns` and `receiver` are that receive's. The
 * end of the message is yet to come, and so is the message. Returns as above.
 */
int call_matcher__part(struct call_matcher *matcher, const struct call_direction *direction,
		       const struct message *message, const struct message_ends *ends);

/* No message follows: the last call of each connection is complete. Returns as above. */
int call_matcher__finish(struct call_matcher *matcher);

/* What is older is not needed, see call_matcher__horizon(). */
void call_matcher__trim(struct call_matcher *matcher, uint64_t horizon_ns);

/* At `now_ns` the history from then on is needed for open requests; UINT64_MAX: for none. */
uint64_t call_matcher__horizon(const struct call_matcher *matcher, uint64_t now_ns);

/*
 * Calls `fn` with a CONNECTION record for each connection, which passes on to a window of a
 * recording what messages before it have shown. 0, or what it returned.
 */
typedef int call_fact_fn(void *ctx, const struct record *record);
int call_facts_each(const struct call_matcher *matcher, call_fact_fn *fn, void *ctx);

/* Before the first message of the connection. 0 or -ENOMEM. */
int call_facts_add(struct call_matcher *matcher, const struct record_connection *record);
