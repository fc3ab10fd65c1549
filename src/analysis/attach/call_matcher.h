/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: calls, found among the messages of connections. An answer goes out on the connection that
 * the request came by; it answers every request that its sender's side had received before it was
 * sent and had not answered yet:
 *
 *	client   send 1  send 2                            recv
 *	server      recv 1  recv 2 ... service ... send
 *
 * Here two calls, with one answer. Further messages of the server's answer nothing: they may be the
 * rest of it, or the answer to a request that the first one was taken for.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_CALL_MATCHER_H
#define IPCTRACE_ANALYSIS_ATTACH_CALL_MATCHER_H

#include "analysis/history/timeline.h"
#include "model/summary.h"

/* Requests of one connection that are not answered; when there are more, the oldest is forgotten.
 */
#define CALL_MATCHER_OPEN_MAX 4096

/* The same of all connections together; then those go first that were quiet longest. */
#define CALL_MATCHER_ALL_OPEN_MAX (1u << 18)

/* Connections that are remembered; then those forgotten first that were quiet longest. */
#define CALL_MATCHER_CONNECTIONS_MAX 65536

struct call_matcher;

struct call_matcher *call_matcher__new(void); /* NULL: out of memory */
void call_matcher__free(struct call_matcher *dialogues);

/* All: 0 or -ENOMEM. */
int call_matcher__channel(struct call_matcher *dialogues, const struct record_channel *channel);
int call_matcher__address(struct call_matcher *dialogues, const struct record_address *address);
int call_matcher__start(struct call_matcher *dialogues, const struct record_baseline *start);

/* Gets the channel of each request that was answered. */
typedef void call_matcher_fn(void *ctx, uint32_t channel);

/*
 * Takes messages in the order of their receive. A few come late: a request may come after its
 * answer. `from_target`: a target sent it, and to none. Calls that it completes go into `calls`;
 * `lines` cuts their service. Whether it is an answer, or may be a part of one, or -ENOMEM.
 */
int call_matcher__message(struct call_matcher *dialogues, const struct message *message,
			  bool from_target, struct timelines *lines, struct calls_summary *calls,
			  call_matcher_fn *on_call, void *ctx);

/* No request that is open was received before this; UINT64_MAX: none is open. */
uint64_t call_matcher__horizon(const struct call_matcher *dialogues);

#endif
