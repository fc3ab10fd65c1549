/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the pattern "pingpong". Each client sends a message, and the server sends it back. */
#include "workload/pattern.h"
#include "workload/patterns/exchange.h"

static int pong_make(void *ctx, struct links *links, const struct incoming *request,
		     struct post *answer)
{
	(void)ctx;
	(void)links;
	*answer = links_echo(request);
	return 0;
}

static struct post ping_make(void *ctx, struct links *links, uint64_t number)
{
	const struct worker *worker = ctx;

	return links_make(links, worker->number, number, worker->plan->spec.size);
}

static int pingpong_server(struct server *server)
{
	return exchange_server(server, pong_make, NULL);
}

static int pingpong_client(struct client *client)
{
	return exchange_client(client, ping_make, (void *)client->worker);
}

const struct pattern pingpong_pattern = {
	.name = "pingpong",
	.summary = "each client sends, and the server sends the message back",
	.to_server = true,
	.to_clients = true,
	.server = pingpong_server,
	.client = pingpong_client,
};
