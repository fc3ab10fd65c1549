/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the patterns "pingpong" and "request", in which a client sends a request only after
 * the answer to its previous request. The answer of "pingpong" is the request itself. In "request",
 * a handler makes it.
 */
#include "util/clock.h"
#include "workload/handler.h"
#include "workload/member/member.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the server ---- */

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
	const char *equals = strchr(plan->spec.handler, '=');

	server->handler = plan->handler->open(equals ? equals + 1 : NULL);
	if (server->handler)
		return EXIT_SUCCESS;
	return handler_fail(server, "cannot start the handler", -errno, "try another --handler");
}

/*
 * A message without a header has no room for text: the handler runs, but its answer is not sent. 0,
 * or the exit status of a failure that is already reported.
 */
static int handler_answer(struct server *server, const struct incoming *request,
			  struct post *answer)
{
	struct links *links = &server->links;
	const struct message_header *header = &request->header;
	const bool has_text = header->size >= sizeof(*header);
	const char *text = (const char *)request->message + (has_text ? sizeof(*header) : 0);
	size_t size = has_text ? header->size - sizeof(*header) : 0, room;
	char *space = links_text(links, &room);
	ssize_t length =
		server->worker->plan->handler->answer(server->handler, text, size, space, room);

	if (length < 0)
		return handler_fail(server, "cannot answer a request", (int)length,
				    "run the command by hand, or try another --handler");
	*answer = has_text ? links_seal(links, header->client, header->number, (size_t)length)
			   : links_make(links, header->client, header->number, header->size);
	return EXIT_SUCCESS;
}

/* A client that cannot be answered is dropped; the others are served on. */
static int request_answer(struct server *server, const struct incoming *request)
{
	struct post post = {.message = request->message, .header = request->header};
	bool handles = server->worker->plan->handler;
	int err = handles ? handler_answer(server, request, &post) : 0;

	if (err)
		return err;
	post.header.due_ns = request->header.due_ns;
	/* Between receiving a message and sending it back nothing is done: one reading does. */
	post.header.stamp_ns = handles ? clock_now_ns() : request->user_ns;
	err = links_deliver(&server->links, &post);
	if (err && !links_is_lost(err) && !worker_is_over(server->worker))
		server_drop(server, request->client, err, request->header.number);
	server_count(server);
	if (err || request->header.number + 1 >= server->worker->plan->rounds)
		server_finish_link(server, request->client);
	return EXIT_SUCCESS;
}

/* Makes one function of all calls on the way to a sleep. The Makefile explains it at LTO. */
#define FLAT __attribute__((flatten))

/*
 * Serves until all clients have their answers or are gone. A stop is up to the clients: they finish
 * their current exchange and leave, and then the server ends.
 */
FLAT static int exchange_server(struct server *server)
{
	const struct handler_ops *handler = server->worker->plan->handler;
	struct incoming request;
	int status = EXIT_SUCCESS;

	while (server->open && !status) {
		int err = links_receive(&server->links, &request);

		if (err > 0)
			status = request_answer(server, &request);
		else if (err == 0)
			server_finish_link(server, request.client);
		else if (err != -EINTR)
			status = links_fail(&server->links, "cannot receive", err);
	}
	if (handler)
		handler->close(server->handler);
	return status;
}

/* ---- a client ---- */

static struct post request_make(struct client *client, uint64_t number)
{
	const struct plan *plan = client->worker->plan;
	uint32_t self = client->worker->number;
	size_t room, length = 0;
	char *text = links_text(&client->links, &room);

	if (plan->handler && plan->handler->ask && room)
		length = plan->handler->ask(self, text,
					    plan->spec.size - sizeof(struct message_header));
	return length ? links_seal(&client->links, self, number, length)
		      : links_make(&client->links, self, number, plan->spec.size);
}

/* 1: answered; 0: the server is gone, or this client is to end; or -errno. */
static int answer_receive(struct client *client, uint64_t number)
{
	struct incoming answer;

	for (;;) {
		int err = links_receive(&client->links, &answer);

		if (err == -EINTR && !worker_is_over(client->worker))
			continue;
		if (err <= 0)
			return err == -EINTR ? 0 : err;
		if (answer.header.number >= number)
			return 1;
	}
}

/* Returns the same as answer_receive(). */
static int exchange(struct client *client, struct post *post, uint64_t due_ns)
{
	uint64_t number = post->header.number;
	int err;

	post->header.due_ns = due_ns;
	post->header.stamp_ns = clock_now_ns();
	err = links_deliver(&client->links, post);
	if (err)
		return err == -EINTR || links_is_lost(err) ? 0 : err;
	return answer_receive(client, number);
}

/*
 * Runs all exchanges of a client, one after the other or each at its due time. A late exchange does
 * not shift the due times of later ones.
 */
FLAT static int exchange_client(struct client *client)
{
	const struct worker *worker = client->worker;
	const uint64_t period_ns = worker->plan->spec.period_ns;
	uint64_t due_ns = 0, paused_ns = 0;
	/* A pause makes no exchange late. */
	uint64_t *move_ns = period_ns ? &due_ns : &paused_ns;
	int answered = 1;

	client_await_go(client);
	if (period_ns)
		due_ns = clock_now_ns() + period_ns;
	for (uint64_t number = 0; number < worker->plan->rounds && answered > 0; number++) {
		struct post post;

		if (record_room_await(&client->links, client->link, move_ns))
			break;
		post = request_make(client, number);
		if (period_ns)
			worker_sleep_until(worker, due_ns);
		if (worker_is_over(worker))
			break;
		answered = exchange(client, &post, due_ns);
		due_ns += period_ns;
	}
	return answered < 0 ? links_fail(&client->links, "cannot exchange messages", answered)
			    : EXIT_SUCCESS;
}

const struct pattern pingpong_pattern = {
	.name = "pingpong",
	.summary = "each client sends, and the server sends the message back",
	.to_server = true,
	.to_clients = true,
	.server = exchange_server,
	.client = exchange_client,
};

const struct pattern request_pattern = {
	.name = "request",
	.summary = "each client sends a request, and the server answers",
	.to_server = true,
	.to_clients = true,
	.handles = true,
	.prepare = request_prepare,
	.server = exchange_server,
	.client = exchange_client,
};
