/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the exchange of each message of the pattern connect (a run): the connection that its client
 * has made for it, and the clock readings of the client around it.
 *
 * A client makes one connection after another. So the connection of a message is the one that the
 * client's thread began to make after the reading `begun` of this exchange, and that was accepted
 * before the server stamped the message. It is found by these instants, never by counting.
 */
#pragma once

#include "analysis/attach/connections/connections.h"
#include "analysis/history/roles.h"
#include "model/connected_exchange.h"

struct exchanges;

/* Both are borrowed. `clients`: how many there are. NULL: no memory. */
struct exchanges *exchanges__new(struct names *names, const struct roles *roles, uint32_t clients);
void exchanges__free(struct exchanges *exchanges);

/* As connections__hand_out(). */
void exchanges__hand_out(struct exchanges *exchanges, connections_unit_fn *fn, void *ctx);

/* Stamps of a client come in order. Those without readings are ignored. 0 or -ENOMEM. */
int exchanges__stamp(struct exchanges *exchanges, const struct record_stamp *stamp);

/* As those of connections.h. */
int exchanges__connect(struct exchanges *exchanges, const struct record_connect *connect);
int exchanges__accept(struct exchanges *exchanges, const struct record_accept *accept);
int exchanges__settle(struct exchanges *exchanges, uint64_t before_ns, bool shows_switch,
		      struct timelines *lines);
uint64_t exchanges__horizon(const struct exchanges *exchanges);

/*
 * The exchange of the message with this stamp. Call it after settle(), for the messages of a client
 * in order. False: the client has no such readings.
 */
bool exchanges__take(struct exchanges *exchanges, const struct record_stamp *stamp,
		     struct connected_exchange *exchange);

/*
 * Counts the connection of the exchange that take() has found last. 0 or -ENOMEM. `*opened` becomes
 * that connection, borrowed until the next take(); NULL: there is none.
 */
int exchanges__count(struct exchanges *exchanges, const struct opened **opened);

/* The exchange of a run without tracing; only its readings are known. False: there are none. */
bool exchange_untraced(const struct record_stamp *stamp, struct connected_exchange *exchange);

/* After the last take(). 0 or -ENOMEM. */
int exchanges__finish(struct exchanges *exchanges, struct connections_summary *summary);
