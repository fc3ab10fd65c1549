/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the pattern "flood", which measures throughput in one direction. The clients send
 * without a pause, and wait only if there is no room. The server receives and counts the messages.
 * No STAMP (the clock readings of one message) is recorded, because there are too many messages.
 */
#include "util/clock.h"
#include "util/shared_memory.h"
#include "workload/member/member.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdlib.h>

/* A client waits this long for a server that receives nothing more. */
#define RECEPTION_WAIT_NS (NSEC_PER_SEC / 2)

static const char *flood_refuse(const struct plan *plan)
{
	if (plan->spec.period_ns)
		return "its clients send as fast as they can: leave --period out, or use "
		       "--pattern push";
	return NULL;
}

static int flood_server(struct server *server)
{
	const uint64_t rounds = server->worker->plan->rounds;
	struct links *links = &server->links;
	struct incoming incoming;

	while (server->open) {
		int err;

		if (links->transport->notes_handover)
			record_room_await_any(links);
		err = links_receive(links, &incoming);
		if (err > 0)
			server_count(server);
		/* A lossy transport may lose the last message. Its link ends when it is closed. */
		if (err == 0 || (err > 0 && incoming.header.number + 1 >= rounds))
			server_finish_link(server, incoming.client);
		else if (err < 0 && err != -EINTR)
			return links_fail(&server->links, "cannot receive", err);
	}
	return EXIT_SUCCESS;
}

/* 0; -EINTR: this client is to end, or the server is gone; or -errno. */
static int flood_message_send(struct client *client, uint64_t number)
{
	const struct worker *worker = client->worker;
	struct links *links = &client->links;
	uint64_t paused_ns = 0; /* no message of a flood is due at a time */
	struct post post;
	int err;

	if (record_room_await(links, client->link, &paused_ns))
		return -EINTR;
	post = links_make(links, worker->number, number, worker->plan->spec.size);
	err = links_deliver(links, &post);
	return links_is_lost(err) ? -EINTR : err;
}

/*
 * A client that exits takes CPU time from a server that still receives, so it waits until the
 * server has everything. On a lossy transport it waits until nothing more is received.
 */
static void reception_await(const struct client *client)
{
	const struct worker *worker = client->worker;
	const struct link *link = client->link;
	uint64_t until_ns = clock_now_ns() + RECEPTION_WAIT_NS, seen = 0;

	while (seen < link->sent && !atomic_load(&worker_slot(worker)->asked) &&
	       clock_now_ns() < until_ns) {
		uint32_t drained = atomic_load(&worker->shared->drained);
		uint64_t received = atomic_load(&link->out->received);

		if (received != seen)
			until_ns = clock_now_ns() + RECEPTION_WAIT_NS;
		seen = received;
		/* The driver wakes this thread, seldom enough not to disturb. */
		if (seen < link->sent)
			futex_wait(&worker->shared->drained, drained, RECEPTION_WAIT_NS);
	}
}

static int flood_client(struct client *client)
{
	const struct worker *worker = client->worker;
	int err = 0;

	client_await_go(client);
	for (uint64_t number = 0; number < worker->plan->rounds && !err; number++)
		err = worker_is_over(worker) ? -EINTR : flood_message_send(client, number);
	if (err && err != -EINTR)
		return links_fail(&client->links, "cannot send", err);
	reception_await(client);
	return EXIT_SUCCESS;
}

const struct pattern flood_pattern = {
	.name = "flood",
	.summary = "each client sends without a pause and gets no answers",
	.to_server = true,
	.oneway = true,
	.refuse = flood_refuse,
	.server = flood_server,
	.client = flood_client,
};
