/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exchanges: a client sends a request and waits for its answer before it sends the next one; the
 * server answers in the order in which requests come. What patterns of that kind have in common.
 */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_EXCHANGE_H
#define IPCTRACE_WORKLOAD_PATTERNS_EXCHANGE_H

#include "workload/member/client.h"
#include "workload/member/server.h"

/* Makes the answer of a request. 0, or the exit status of a failure that has been said. */
typedef int exchange_answer_fn(void *ctx, struct links *links, const struct incoming *request,
			       struct post *answer);

/* Makes request `number`. */
typedef struct post exchange_ask_fn(void *ctx, struct links *links, uint64_t number);

/* Until all clients have had all their answers, or have gone. The exit status. */
int exchange_server(struct server *server, exchange_answer_fn *answer, void *ctx);

/*
 * All of a client's exchanges: one right after the other, or each at its time. One that is late
 * does not shift those after it: they are due when they are due. The exit status.
 */
int exchange_client(struct client *client, exchange_ask_fn *ask, void *ctx);

#endif
