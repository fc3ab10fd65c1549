/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers the last messages that each thread received, and on which connection. A server that was
 * made to send something by another client may be done with its answer to this one.
 */
#pragma once

#include "analysis/attach/calls/call_direction.h"

#include <stdbool.h>

#define LAST_RECEIVES 64 /* per thread */

struct last_receives;

struct last_receives *last_receives__new(void); /* NULL: out of memory */
void last_receives__free(struct last_receives *last);

/*
 * A thread received a message of this connection, in the order of time for each thread.
 * `is_request`: the thread serves there. 0 or -ENOMEM.
 */
int last_receives__add(struct last_receives *last, uint32_t tid, const struct connection_ends *ends,
		       uint64_t recv_ns, bool is_request);

/* A thread sent a message over any connection. In any order. */
void last_receives__sent(struct last_receives *last, uint32_t tid, uint64_t send_ns);

/*
 * Whether the thread received a message of another connection in (from_ns, to_ns). True also if so
 * many came since that this is not known any more.
 */
bool last_receives__others(struct last_receives *last, uint32_t tid,
			   const struct connection_ends *ends, uint64_t from_ns, uint64_t to_ns);

/*
 * Whether the last message that the thread received in (from_ns, to_ns) is a request of another
 * connection. `*recv_ns` is when, and `*has_sent` whether the thread sent anything between
 * `from_ns` and then, or that is not known any more.
 */
bool last_receives__other_last(struct last_receives *last, uint32_t tid,
			       const struct connection_ends *ends, uint64_t from_ns, uint64_t to_ns,
			       uint64_t *recv_ns, bool *has_sent);
