/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of a server that answers requests, and of a client that waits for each answer. */
#include "util/clock.h"
#include "workload/patterns/exchange.h"

#include <errno.h>
#include <stdlib.h>

struct serving {
	struct server *server;
	exchange_answer_fn *answer;
	void *ctx;
	uint64_t answered; /* answers to all clients */
	uint32_t open;     /* clients that still expect answers */
};

static void link_finish(struct serving *serving, struct link *link)
{
	if (link->is_over)
		return;
	link->is_over = true;
	serving->open--;
}

/*
 * Without a handler the server does nothing between receiving and answering: one clock reading
 * does.
 */
static uint64_t answer_stamp_ns(const struct server *server, const struct incoming *request)
{
	return server->worker->plan->pattern->handles ? clock_now_ns() : request->user_ns;
}

/* A client that cannot be answered is dropped; the others are served on. */
static int request_answer(struct serving *serving, const struct incoming *request)
{
	struct server *server = serving->server;
	struct post post;
	int err = serving->answer(serving->ctx, &server->links, request, &post);

	if (err)
		return err;
	post.header.due_ns = request->header.due_ns;
	post.header.stamp_ns = answer_stamp_ns(server, request);
	err = links_deliver(&server->links, &post);
	if (err && !links_is_lost(err) && !worker_is_over(server->worker))
		server_drop(server, request->client, err, request->header.number);
	atomic_store_explicit(&worker_slot(server->worker)->rounds, ++serving->answered,
			      memory_order_relaxed);
	if (err || request->header.number + 1 >= server->worker->plan->rounds)
		link_finish(serving, links_find(&server->links, request->client));
	return EXIT_SUCCESS;
}

/* Makes one function of all calls on the way to a sleep. The Makefile explains it at LTO. */
#define FLAT __attribute__((flatten))

static int server_fail(const struct server *server, int err)
{
	return worker_fail(server->worker, "cannot receive", server->links.transport->name, err,
			   "try another --transport");
}

/*
 * A stop is up to the clients: they finish their current exchange and leave, and then the server
 * ends.
 */
FLAT int exchange_server(struct server *server, exchange_answer_fn *answer, void *ctx)
{
	struct serving serving = {
		.server = server, .answer = answer, .ctx = ctx, .open = server->members_cnt};
	struct incoming request;
	int status = EXIT_SUCCESS;

	while (serving.open && !status) {
		int err = links_receive(&server->links, &request);

		if (err > 0)
			status = request_answer(&serving, &request);
		else if (err == 0)
			link_finish(&serving, links_find(&server->links, request.client));
		else if (err != -EINTR)
			status = server_fail(server, err);
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
	uint64_t due_ns = 0;
	int answered = 1;

	client_await_go(client);
	if (period_ns)
		due_ns = clock_now_ns() + period_ns;
	for (uint64_t number = 0; number < worker->plan->rounds && answered > 0; number++) {
		struct post post;

		if (links_reserve(&client->links, client->link))
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
