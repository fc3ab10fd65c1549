/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GRAME experiment. The server reads the clock once a tick, puts this stamp into a message,
 * sends it to each client in turn, and sleeps until the next tick. A client receives, reads the
 * clock, and notes both. Between two receives it does nothing that could sleep.
 */
#include "workload/push.h"
#include "workload/clock.h"
#include "workload/control.h"
#include "workload/futex.h"
#include "workload/message.h"
#include "workload/worker.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* How long the server stays for its last clients' close messages. */
#define CLOSE_WAIT_NS NSEC_PER_SEC

/* How often it looks whether they have received everything. */
#define LOOK_NS (2 * NSEC_PER_MSEC)

const uint64_t workload_message_min = sizeof(struct round_message);

struct member {
	uint32_t client;
	struct peer *peer;
};

struct push_server {
	const struct worker *worker;
	struct control control;
	struct endpoint *endpoint;
	struct round_message *message; /* spec.size bytes */
	struct member *members;        /* in the order they are served */
	uint32_t members_cnt;
};

static bool is_stopped(const struct push_server *server)
{
	return shared_stopped(server->worker->shared);
}

static uint32_t members_at(const struct shared *shared, enum membership membership)
{
	uint32_t count = 0;

	for (uint32_t client = 1; client <= shared->clients; client++)
		count += shared_member(shared, client) == membership;
	return count;
}

/* Until nobody is `membership` any more, or `until_ns`, or a stop. */
static void members_wait(const struct push_server *server, enum membership membership,
			 uint64_t until_ns)
{
	struct shared *shared = server->worker->shared;

	for (;;) {
		uint32_t changes = atomic_load(&shared->changes);
		uint64_t now_ns = clock_now_ns();

		if (!members_at(shared, membership) || is_stopped(server) || now_ns >= until_ns)
			return;
		futex_wait(&shared->changes, changes, until_ns - now_ns);
	}
}

static int members_find(struct push_server *server)
{
	const struct worker *worker = server->worker;
	char name[ENDPOINT_NAME_LEN];

	for (uint32_t client = 1; client <= worker->plan->spec.clients; client++) {
		struct member *member = &server->members[server->members_cnt];

		if (shared_member(worker->shared, client) != MEMBER_OPEN)
			continue;
		worker_endpoint_name(client, name);
		member->client = client;
		member->peer = worker_find(worker, server->endpoint, name);
		if (!member->peer)
			return EXIT_FAILURE;
		server->members_cnt++;
	}
	return EXIT_SUCCESS;
}

/* As in the paper, a client to which a send fails is served no more. Messages that were sent. */
static uint32_t round_send(struct push_server *server, uint64_t round, uint64_t stamp_ns)
{
	const struct worker *worker = server->worker;
	const struct transport_ops *transport = worker->plan->transport;
	struct round_message *message = server->message;
	uint32_t kept = 0;

	message->round = round;
	message->stamp_ns = stamp_ns;
	for (uint32_t i = 0; i < server->members_cnt; i++) {
		struct member member = server->members[i];
		ssize_t sent;

		message->client = member.client;
		sent = transport->send(server->endpoint, member.peer, message,
				       worker->plan->spec.size);
		if (sent < 0) {
			shared_drop(worker->shared, member.client, (int)-sent, round);
			transport->forget(member.peer);
		} else {
			server->members[kept++] = member;
		}
	}
	server->members_cnt = kept;
	return kept;
}

/* Ticks that have passed as a whole can't be used any more: moves *due_ns on, on the same grid. */
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

static void rounds_run(struct push_server *server)
{
	const struct workload_spec *spec = &server->worker->plan->spec;
	struct journal *journal = &server->worker->shared->slots[0].journal;
	uint64_t due_ns = clock_now_ns() + spec->period_ns;
	union journal_entry entry = {
		.tick.head.type = RECORD_TICK,
		.tick.head.words = RECORD_WORDS(struct record_tick),
		.tick.head.tid = (uint32_t)getpid(),
	};

	for (uint64_t round = 0; round < shared_rounds(spec); round++) {
		struct record_tick *tick = &entry.tick;

		tick->skipped = ticks_skip(&due_ns, spec->period_ns);
		clock_sleep_until(due_ns);
		if (is_stopped(server))
			return;
		tick->round = round;
		tick->due_ns = due_ns;
		tick->stamp_ns = clock_now_ns();
		tick->sent = round_send(server, round, tick->stamp_ns);
		journal_write(journal, &entry);
		if (!server->members_cnt)
			return;
		due_ns += spec->period_ns;
	}
}

static bool members_have_all(const struct push_server *server)
{
	const struct shared *shared = server->worker->shared;
	uint64_t rounds = shared_rounds(&server->worker->plan->spec);

	for (uint32_t i = 0; i < server->members_cnt; i++) {
		const struct slot *slot = &shared->slots[server->members[i].client];

		if (shared_member(shared, server->members[i].client) == MEMBER_OPEN &&
		    journal_count(&slot->journal) < rounds)
			return false;
	}
	return true;
}

/*
 * A process that ends keeps its CPU for longer than a round takes. Nobody may leave while others
 * still wait for the last message, or that round would measure the departure.
 */
static void members_release(struct push_server *server)
{
	uint64_t until_ns = clock_now_ns() + CLOSE_WAIT_NS;

	while (!members_have_all(server) && !is_stopped(server) && clock_now_ns() < until_ns)
		clock_sleep_until(clock_now_ns() + LOOK_NS);
	shared_gate_raise(server->worker->shared, GATE_DONE);
}

static int server_serve(struct push_server *server)
{
	const struct worker *worker = server->worker;

	shared_gate_raise(worker->shared, GATE_SERVED);
	members_wait(server, MEMBER_ABSENT, UINT64_MAX);
	if (members_find(server))
		return EXIT_FAILURE;
	if (server->members_cnt)
		rounds_run(server);
	members_release(server);
	if (server->members_cnt)
		members_wait(server, MEMBER_OPEN, clock_now_ns() + CLOSE_WAIT_NS);
	return EXIT_SUCCESS;
}

static int server_open(struct push_server *server)
{
	const struct workload_spec *spec = &server->worker->plan->spec;
	char name[ENDPOINT_NAME_LEN];

	server->message = calloc(1, spec->size);
	server->members = calloc(spec->clients, sizeof(*server->members));
	if (!server->message || !server->members)
		return worker_fail(server->worker, "cannot get memory", "messages", -ENOMEM,
				   "use a smaller --size");
	server->message->magic = ROUND_MAGIC;
	worker_endpoint_name(0, name);
	server->endpoint = worker_open(server->worker, name);
	return server->endpoint ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void server_close(struct push_server *server)
{
	const struct transport_ops *transport = server->worker->plan->transport;

	for (uint32_t i = 0; i < server->members_cnt; i++)
		transport->forget(server->members[i].peer);
	if (server->endpoint)
		transport->close(server->endpoint);
	free(server->members);
	free(server->message);
}

static int push_server(const struct worker *worker)
{
	struct push_server server = {.worker = worker};
	int status = server_open(&server);

	if (!status)
		status = control_start(&server.control, worker);
	if (!status) {
		status = server_serve(&server);
		control_end(&server.control);
	}
	server_close(&server);
	return status;
}

/* Until the last round. What is no message of a round did not come from the server: no record. */
static int rounds_receive(const struct worker *worker, struct endpoint *endpoint,
			  struct round_message *message)
{
	const struct workload_spec *spec = &worker->plan->spec;
	const struct transport_ops *transport = worker->plan->transport;
	struct journal *journal = &worker->shared->slots[worker->process].journal;
	const uint64_t last = shared_rounds(spec) - 1;
	union journal_entry entry = {
		.stamp.head.type = RECORD_STAMP,
		.stamp.head.words = RECORD_WORDS(struct record_stamp),
		.stamp.head.tid = (uint32_t)getpid(),
		.stamp.client = worker->process,
	};

	for (;;) {
		ssize_t size = transport->receive(endpoint, message, spec->size);
		uint64_t user_ns = clock_now_ns();

		if (size == -EINTR)
			continue;
		if (size < 0)
			return worker_fail(worker, "cannot receive", "endpoint", (int)size,
					   "try another --transport");
		if ((uint64_t)size != spec->size || message->magic != ROUND_MAGIC)
			continue;
		entry.stamp.round = message->round;
		entry.stamp.stamp_ns = message->stamp_ns;
		entry.stamp.user_ns = user_ns;
		journal_write(journal, &entry);
		entry.stamp.index++;
		if (message->round == last)
			return EXIT_SUCCESS;
	}
}

static int client_serve(const struct worker *worker, struct endpoint *endpoint,
			struct peer *control)
{
	struct round_message *message = calloc(1, worker->plan->spec.size);
	int err, status;

	if (!message)
		return worker_fail(worker, "cannot get memory", "message", -ENOMEM,
				   "use a smaller --size");
	err = control_tell(worker, endpoint, control, MEMBER_OPEN);
	if (err)
		status =
			worker_fail(worker, "cannot reach the server", "endpoint " CONTROL_ENDPOINT,
				    err, "see whether the server was killed");
	else
		status = rounds_receive(worker, endpoint, message);
	if (!status)
		shared_gate_wait(worker->shared, GATE_DONE);
	/* The server may be gone by now, which is as good. */
	if (!status)
		control_tell(worker, endpoint, control, MEMBER_LEFT);
	free(message);
	return status;
}

static int push_client(const struct worker *worker)
{
	const struct transport_ops *transport = worker->plan->transport;
	char name[ENDPOINT_NAME_LEN];
	struct endpoint *endpoint;
	struct peer *control;
	int status = EXIT_FAILURE;

	worker_endpoint_name(worker->process, name);
	endpoint = worker_open(worker, name);
	if (!endpoint)
		return EXIT_FAILURE;
	control = worker_find(worker, endpoint, CONTROL_ENDPOINT);
	if (control) {
		status = client_serve(worker, endpoint, control);
		transport->forget(control);
	}
	transport->close(endpoint);
	return status;
}

const struct pattern push_pattern = {
	.name = "push",
	.summary = "every tick the server sends to each client in turn",
	.server = push_server,
	.client = push_client,
};
