/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the first call of each new connection, and joins the two. What the client waits for
 * begins with its connection:
 *
 *	connect() enter    connect() exit   sent                                  back
 *	      |----------------- connect ----|--- request, service, response -------|
 *	                               accept() exit may be before or after `sent`
 *
 * The connection and the channel of the request have both ports in common, or the inode of the unix
 * socket that connects; and the thread that has connected sends the request.
 */
#pragma once

#include "bpf/record_connections.h"
#include "model/call.h"
#include "model/summary.h"

struct first_calls;

struct first_calls *first_calls__new(void); /* NULL: out of memory */
void first_calls__free(struct first_calls *first);

/* In the order of their records. 0 or -ENOMEM. */
int first_calls__connect(struct first_calls *first, const struct record_connect *connect);
int first_calls__address(struct first_calls *first, const struct record_address *address);
void first_calls__accept(struct first_calls *first, const struct record_accept *accept);

/*
 * A message: the instant at which its thread entered connect(), if it is the first one that the
 * connecting end sends on a new connection. Else 0. `sent_ns`: the send call began.
 */
uint64_t first_calls__message(struct first_calls *first, uint32_t channel, uint32_t tid,
			      uint64_t sent_ns);

/* Which thread has accepted the connection of a channel, and when; zeros: not known. */
struct accepted_by {
	uint32_t tid;
	uint64_t at_ns;
};

/* After first_calls__message() with an instant. */
struct accepted_by first_calls__accepted(const struct first_calls *first, uint32_t channel);

/*
 * A call has ended. If it is the first one of a connection, sets what `call` has of that.
 * Otherwise these are zero. Adds to `sum`.
 */
void first_calls__take(struct first_calls *first, struct call *call,
		       struct connections_summary *sum);

/* What connecting threads did from this instant on may be asked for; UINT64_MAX: nothing. */
uint64_t first_calls__horizon(const struct first_calls *first, uint64_t before_ns);
