/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements a server that answers requests, and a client that waits for each answer. */
#include "util/clock.h"
#include "workload/member/record_room.h"
#include "workload/patterns/exchange.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Without a handler the server does nothing between receiving and answering: one clock reading
 * does.
 */
static uint64_t answer_stamp_ns(const struct server *server, const struct incoming *request)
{
	return server->worker->plan->pattern->handles ? clock_now_ns() : request->user_ns;
}

/* A client that cannot be answered is dropped; the others are served on. */
static int request_answer(struct server *server, exchange_answer_fn *answer, void *ctx,
			  const struct incoming *request)
{
	struct post post;
	int err = answer(ctx, &server->links, request, &post);

	if (err)
		return err;
	post.header.due_ns = request->header.due_ns;
	post.header.stamp_ns = answer_stamp_ns(server, request);
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
 * A stop is up to the clients: they finish their current exchange and leave, and then the server
 * ends.
 */
FLAT int exchange_server(struct server *server, exchange_answer_fn *answer, void *ctx)
{
	struct incoming request;
	int status = EXIT_SUCCESS;

	while (server->open && !status) {
		int err = links_receive(&server->links, &request);

		if (err > 0)
			status = request_answer(server, answer, ctx, &request);
		else if (err == 0)
			server_finish_link(server, request.client);
		else if (err != -EINTR)
			status = server_fail(server, "cannot receive", err);
	}
	return status;
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

FLAT int exchange_client(struct client *client, exchange_ask_fn *ask, void *ctx)
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
		post = ask(ctx, &client->links, number);
		if (period_ns)
			worker_sleep_until(worker, due_ns);
		if (worker_is_over(worker))
			break;
		answered = exchange(client, &post, due_ns);
		due_ns += period_ns;
	}
	return answered < 0 ? client_fail(client, "cannot exchange messages", answered)
			    : EXIT_SUCCESS;
}
