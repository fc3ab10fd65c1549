/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers the last messages that each thread received, and on which connection. A server that has
 * received something else after an answer may be done with that answer.
 */
#pragma once

#include "analysis/attach/connection.h"

#include <stdbool.h>

#define LAST_RECEIVES 8 /* per thread */

struct last_receives;

struct last_receives *last_receives__new(void); /* NULL: out of memory */
void last_receives__free(struct last_receives *last);

/* A thread received a message of this connection; in the order of time, for each thread. 0 or
 * -ENOMEM. */
int last_receives__add(struct last_receives *last, uint32_t tid, const struct connection_ends *ends,
		       uint64_t recv_ns);

/*
 * Whether the thread received a message of another connection in (from_ns, to_ns). True also if so
 * many came since that this is not known any more.
 */
bool last_receives__others(struct last_receives *last, uint32_t tid,
			   const struct connection_ends *ends, uint64_t from_ns, uint64_t to_ns);
