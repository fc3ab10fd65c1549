/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares exchanges, in which a client sends a request only after the answer to its previous
 * request. The patterns "pingpong" and "request" are exchanges.
 */
#pragma once

#include "workload/member/client.h"
#include "workload/member/server.h"

/* Makes the answer to a request. 0, or the exit status of a failure that is already reported. */
typedef int exchange_answer_fn(void *ctx, struct links *links, const struct incoming *request,
			       struct post *answer);

/* Makes request `number`. */
typedef struct post exchange_ask_fn(void *ctx, struct links *links, uint64_t number);

/* Serves until all clients have their answers or are gone. Returns the exit status. */
int exchange_server(struct server *server, exchange_answer_fn *answer, void *ctx);

/*
 * Runs all exchanges of a client, one after the other or each at its due time. A late exchange does
 * not shift the due times of later ones. Returns the exit status.
 */
int exchange_client(struct client *client, exchange_ask_fn *ask, void *ctx);
