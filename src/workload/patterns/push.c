/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the pattern "push". Once per period, the server reads the clock, and sends a message
 * with this reading to each client in turn. A client receives the message, reads the clock, and
 * records both readings. In the transport "kernel", a timer of the kernel wakes the clients
 * instead. The published GRAME experiment has this pattern.
 */
#include "util/clock.h"
#include "workload/member/member.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Sends a round and returns how many messages were sent. As in the paper, a client to which a send
 * fails is dropped.
 */
static uint32_t round_send(struct server *server, const struct record_tick *tick)
{
	const size_t size = server->worker->plan->spec.size;
	uint32_t sent = 0;

	for (uint32_t i = 0; i < server->members_cnt;) {
		uint32_t client = server->members[i];
		struct post post = links_make(&server->links, client, tick->round, size);
		int err;

		post.header.stamp_ns = tick->stamp_ns;
		post.header.due_ns = tick->due_ns;
		err = links_send(&server->links, &post, false);
		if (err) {
			server_drop(server, client, err, tick->round);
		} else {
			sent++;
			i++;
		}
	}
	return sent;
}

/* Skips ticks that have passed completely: moves *due_ns on along the same grid. */
static uint32_t ticks_skip(uint64_t *due_ns, uint64_t period_ns)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t skipped;

	if (now_ns < *due_ns + period_ns)
		return 0;
	skipped = (now_ns - *due_ns) / period_ns;
	*due_ns += skipped * period_ns;
	return skipped < UINT32_MAX ? (uint32_t)skipped : UINT32_MAX;
}

static void rounds_run(struct server *server)
{
	const struct worker *worker = server->worker;
	const struct plan *plan = worker->plan;
	struct slot *slot = worker_slot(worker);
	uint64_t due_ns = clock_now_ns() + plan->spec.period_ns;
	union journal_entry entry = {
		.tick.head =
			record_head(RECORD_TICK, sizeof(struct record_tick), 0, server->links.tid),
	};
	struct record_tick *tick = &entry.tick;

	for (tick->round = 0; tick->round < plan->rounds && server->members_cnt; tick->round++) {
		/* The ticks move by a pause: it makes no round late. */
		if (record_room_await_round(&server->links, &due_ns))
			break;
		tick->skipped = ticks_skip(&due_ns, plan->spec.period_ns);
		clock_sleep_until(due_ns);
		if (worker_is_over(worker))
			break;
		tick->due_ns = due_ns;
		tick->stamp_ns = clock_now_ns();
		tick->sent = round_send(server, tick);
		journal_write(&slot->journal, &entry);
		atomic_store_explicit(&slot->rounds, tick->round + 1, memory_order_relaxed);
		due_ns += plan->spec.period_ns;
	}
}

static int push_server(struct server *server)
{
	const struct transport_ops *transport = server->links.transport;
	int err;

	if (!transport->kernel_sends) {
		rounds_run(server);
		return EXIT_SUCCESS;
	}
	/* The kernel's timer sends. The server only starts it. */
	err = transport->send(server->links.end, LINK_SERVER, NULL, 0, false);
	if (err)
		return links_fail(&server->links, "cannot start the timer", err);
	server_await_done(server, UINT64_MAX);
	return EXIT_SUCCESS;
}

/* Receives until the last round, or until nothing more can come. */
static int push_client(struct client *client)
{
	const uint64_t last = client->worker->plan->rounds - 1;
	struct incoming incoming;

	for (;;) {
		int err = links_receive(&client->links, &incoming);

		if (err == 0 || (err == -EINTR && worker_is_over(client->worker)))
			return EXIT_SUCCESS;
		if (err < 0 && err != -EINTR)
			return links_fail(&client->links, "cannot receive", err);
		if (err > 0 && incoming.header.number >= last)
			return EXIT_SUCCESS;
	}
}

const struct pattern push_pattern = {
	.name = "push",
	.summary = "once per --period, the server sends to each client",
	.needs_period = true,
	.to_clients = true,
	.can_be_kernel = true,
	.server = push_server,
	.client = push_client,
};
