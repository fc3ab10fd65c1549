/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the pattern "request". Each client sends a request, and the server calls a handler
 * that makes the answer.
 */
#include "workload/handler.h"
#include "workload/pattern.h"
#include "workload/patterns/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The command line of a handler comes from the user, so it stands in quotes. */
static int handler_fail(const struct server *server, const char *what, int err, const char *remedy)
{
	char thing[SPEC_TEXT_LEN + 16];

	snprintf(thing, sizeof(thing), "--handler '%s'", server->worker->plan->spec.handler);
	return worker_fail(server->worker, what, thing, err, remedy);
}

static int request_prepare(struct server *server)
{
	const struct plan *plan = server->worker->plan;

	server->handler = plan->handler->open(plan_handler_argument(plan));
	if (server->handler)
		return EXIT_SUCCESS;
	return handler_fail(server, "cannot start the handler", -errno, "try another --handler");
}

/* A message without a header has no room for text: the handler runs, but its answer is not sent. */
static int answer_make(void *ctx, struct links *links, const struct incoming *request,
		       struct post *answer)
{
	const struct server *server = ctx;
	const struct plan *plan = server->worker->plan;
	const struct message_header *header = &request->header;
	const bool has_text = header->size >= sizeof(*header);
	const char *text = (const char *)request->message + (has_text ? sizeof(*header) : 0);
	size_t size = has_text ? header->size - sizeof(*header) : 0, room;
	char *space = links_text(links, &room);
	ssize_t length =
		plan->handler->answer(server->handler, header->number, text, size, space, room);

	if (length < 0)
		return handler_fail(server, "cannot answer a request", (int)length,
				    "run the command by hand, or try another --handler");
	*answer = has_text ? links_seal(links, header->client, header->number, (size_t)length)
			   : links_make(links, header->client, header->number, header->size);
	return EXIT_SUCCESS;
}

static int request_server(struct server *server)
{
	int status = exchange_server(server, answer_make, server);

	server->worker->plan->handler->close(server->handler);
	return status;
}

static struct post request_make(void *ctx, struct links *links, uint64_t number)
{
	const struct worker *worker = ctx;
	const struct plan *plan = worker->plan;
	size_t room, length = 0;
	char *text = links_text(links, &room);

	if (plan->handler->ask && room)
		length = plan->handler->ask(worker->number, number, text,
					    plan->spec.size - sizeof(struct message_header));
	return length ? links_seal(links, worker->number, number, length)
		      : links_make(links, worker->number, number, plan->spec.size);
}

static int request_client(struct client *client)
{
	return exchange_client(client, request_make, (void *)client->worker);
}

const struct pattern request_pattern = {
	.name = "request",
	.summary = "each client sends a request, and the server answers",
	.to_server = true,
	.to_clients = true,
	.handles = true,
	.prepare = request_prepare,
	.server = request_server,
	.client = request_client,
};
