/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins the CONNECT and the ACCEPT of a connection by what the kernel's objects of both ends have
 * in common, and cuts the time between them into parts. Records may come in any order.
 */
#pragma once

#include "analysis/attach/connections/first_calls.h"
#include "analysis/attach/connections/listeners.h"
#include "analysis/attach/threads.h"
#include "analysis/history/timeline.h"
#include "bpf/record_connections.h"
#include "model/call.h"
#include "model/summary.h"

struct connections;

/* Receives a connection that is cut into parts; both are borrowed. 0 or -ENOMEM. */
typedef int connections_fn(void *ctx, const struct opened *opened,
			   const struct opened_parts *parts);

/*
 * Receives a connection as a message from connect() to accept(); both are borrowed. Returns 0 or an
 * error.
 */
typedef int connections_unit_fn(void *ctx, const struct opened *opened,
				const struct breakdown *breakdown);

/*
 * `naming` is borrowed. `fn`: what to do with each connection; NULL: to count it. NULL: no memory.
 */
struct connections *connections__new(const struct naming *naming, connections_fn *fn, void *ctx);
void connections__free(struct connections *connections);

/* `fn` gets each connection that is cut into parts. */
void connections__hand_out(struct connections *connections, connections_unit_fn *fn, void *ctx);

/* 0 or -ENOMEM. */
int connections__connect(struct connections *connections, const struct record_connect *connect);
int connections__handshake(struct connections *connections,
			   const struct record_handshake *handshake);
int connections__accept(struct connections *connections, const struct record_accept *accept);

/* The names of a channel are known. 0 or -ENOMEM. */
int connections__address(struct connections *connections, const struct record_address *address);

/*
 * A message whose ends are both known: the instant at which its thread entered connect(), if this
 * message is the first one that the connecting end sends on a new connection. Else 0.
 */
uint64_t connections__message(struct connections *connections, const struct record_send *send);

/* Then: which thread has accepted that connection, and when. */
struct accepted_by connections__accepted(const struct connections *connections, uint32_t channel);

/* A call has ended: sets what it has of its connection, if it is the first one of that. */
void connections__call(struct connections *connections, struct call *call);

/* What threads did from this instant on is part of calls that open a connection. */
uint64_t connections__calls_horizon(const struct connections *connections, uint64_t before_ns);

/* Calls of connect() that begin later are not recorded. */
void connections__stop(struct connections *connections, uint64_t at_ns);

/* Counts a connection that connections_fn has received. 0 or -ENOMEM. */
int connections__count(struct connections *connections, const struct opened *opened,
		       const struct opened_parts *parts);

/*
 * All records from before `before_ns` are here, and `lines` has what threads did until then. 0 or
 * -ENOMEM. `shows_switch`: the kernel shows the end of a switch.
 */
int connections__settle(struct connections *connections, uint64_t before_ns, bool shows_switch,
			struct timelines *lines);

/* What threads did from this instant on is still needed; UINT64_MAX: nothing is. */
uint64_t connections__horizon(const struct connections *connections);

/* After the last settle(): what is open has no other end. 0 or -ENOMEM. */
int connections__finish(struct connections *connections, struct connections_summary *summary);
