/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the server. The server opens its end of the transport, admits the clients in turn, runs the
 * pattern, and lets the clients leave.
 */
#include "util/clock.h"
#include "util/shared_memory.h"
#include "workload/member/member.h"

#include <errno.h>
#include <stdlib.h>

/* How long the server waits for the leave messages of its last clients. */
#define CLOSE_WAIT_NS NSEC_PER_SEC

static bool is_off(const struct worker *worker)
{
	return shared_stopped(worker->shared) || shared_failed(worker->shared);
}

/* Waits until no client is `membership` any more, `until_ns`, or a stop. */
static void members_wait(const struct worker *worker, enum membership membership, uint64_t until_ns)
{
	struct shared *shared = worker->shared;

	for (;;) {
		uint32_t changes = atomic_load(&shared->changes);
		uint64_t now_ns = clock_now_ns();
		uint32_t count = 0;

		for (uint32_t client = 1; client <= shared->clients; client++)
			count += shared_member(shared, client) == membership;
		if (!count || is_off(worker) || now_ns >= until_ns)
			return;
		futex_wait(&shared->changes, changes, until_ns - now_ns);
	}
}

/* Server and client have to work on a join at the same time. */
static int client_admit(struct server *server, uint32_t client)
{
	const struct worker *worker = server->worker;
	const struct transport_ops *transport = server->links.transport;
	struct shared *shared = worker->shared;
	int err = 0;
	uint32_t joined;

	word_raise(&shared->turn, client);
	if (server->links.end && transport->admit)
		while ((err = transport->admit(server->links.end, client)) == -ETIMEDOUT)
			if (is_off(worker))
				return EXIT_FAILURE;
	if (err)
		return worker_fail(worker, "cannot admit a client", transport->name, err,
				   "try another --transport or fewer --clients");
	while ((joined = atomic_load(&shared->joined)) < client && !is_off(worker))
		futex_wait(&shared->joined, joined, SHARED_CHECK_NS);
	return is_off(worker) ? EXIT_FAILURE : EXIT_SUCCESS;
}

void server_finish_link(struct server *server, uint32_t client)
{
	struct link *link = links_find(&server->links, client);

	server->open -= !link->is_over;
	link->is_over = true;
}

void server_count(struct server *server)
{
	atomic_store_explicit(&worker_slot(server->worker)->rounds, ++server->messages,
			      memory_order_relaxed);
}

void server_drop(struct server *server, uint32_t client, int err, uint64_t round)
{
	uint32_t kept = 0;

	shared_drop(server->worker->shared, client, -err, round);
	for (uint32_t i = 0; i < server->members_cnt; i++)
		if (server->members[i] != client)
			server->members[kept++] = server->members[i];
	server->members_cnt = kept;
}

void server_await_done(const struct server *server, uint64_t until_ns)
{
	struct shared *shared = server->worker->shared;
	uint32_t gate;

	while ((gate = atomic_load(&shared->gate)) < GATE_DONE && !is_off(server->worker) &&
	       clock_now_ns() < until_ns)
		futex_wait(&shared->gate, gate, SHARED_CHECK_NS);
}

static int server_serve(struct server *server)
{
	const struct worker *worker = server->worker;
	uint32_t clients = worker->plan->spec.clients;
	int status = EXIT_SUCCESS;

	word_raise(&worker->shared->gate, GATE_SERVED);
	for (uint32_t client = 1; client <= clients && !status; client++)
		status = client_admit(server, client);
	if (status)
		return status;
	members_wait(worker, MEMBER_ABSENT, UINT64_MAX);
	for (uint32_t client = 1; client <= clients; client++)
		if (shared_member(worker->shared, client) == MEMBER_OPEN)
			server->members[server->members_cnt++] = client;
	server->open = server->members_cnt;
	word_raise(&worker->shared->gate, GATE_GO);
	if (server->members_cnt)
		status = worker->plan->pattern->server(server);
	/*
	 * An exiting process uses its CPU for longer than a round takes. No client may leave while
	 * others wait for their last message, or that round would measure the exit. The last client
	 * that finishes opens the gate. The server waits a limited time for it.
	 */
	server_await_done(server, clock_now_ns() + CLOSE_WAIT_NS);
	word_raise(&worker->shared->gate, GATE_DONE);
	if (server->members_cnt)
		members_wait(worker, MEMBER_OPEN, clock_now_ns() + CLOSE_WAIT_NS);
	return status;
}

static int server_open(struct server *server)
{
	const struct worker *worker = server->worker;
	const struct pattern *pattern = worker->plan->pattern;

	server->members = calloc(worker->plan->spec.clients, sizeof(*server->members));
	if (!server->members)
		return worker_fail(worker, "cannot get memory", "clients", -ENOMEM,
				   "use fewer --clients");
	if (links_open(&server->links, worker))
		return EXIT_FAILURE;
	return pattern->prepare ? pattern->prepare(server) : EXIT_SUCCESS;
}

int server_run(const struct worker *worker)
{
	struct server server = {.worker = worker};
	int status;

	word_wait(&worker->shared->gate, GATE_OPEN);
	status = server_open(&server);
	if (!status)
		status = control_start(&server.control, worker);
	if (!status) {
		status = server_serve(&server);
		control_end(&server.control);
	}
	links_close(&server.links);
	free(server.members);
	return status;
}
