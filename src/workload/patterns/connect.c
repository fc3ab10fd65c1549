/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the pattern "connect". A client connects, reads one text, closes the connection, and
 * connects again. The server reads the clock, sends the text, and closes the connection. The
 * server numbers all texts in one sequence, because it cannot distinguish clients. The
 * published LIPC experiment has this pattern.
 */
#include "transport/transport.h"
#include "util/clock.h"
#include "util/word_list.h"
#include "workload/member/member.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections that may wait to be accepted. The kernel limits it to net.core.somaxconn. */
#define BACKLOG_MIN 4096

/* How often a server without connections checks whether clients are left. */
#define CHECK_MS 50

/* Pause before a failed connection is tried again. */
#define RETRY_NS NSEC_PER_MSEC

/* ---- what can be run ---- */

static const char *transports_with_connections(void)
{
	static char names[64];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		if (transport->listen)
			word_list_add(&list, "%s", transport->name);
	}
	return names;
}

static const char *connect_refuse(const struct plan *plan)
{
	static char why[160];

	if (!plan->transport->listen) {
		snprintf(why, sizeof(why), "it has no connections: use --transport %s",
			 transports_with_connections());
		return why;
	}
	if (plan->spec.size < sizeof(struct message_header)) {
		snprintf(why, sizeof(why),
			 "each text has %zu bytes for the server's clock reading: use --size %zu "
			 "or more",
			 sizeof(struct message_header), sizeof(struct message_header));
		return why;
	}
	if (plan->spec.reader != READER_BLOCK)
		return "a client waits for one connection only: use --reader block";
	return NULL;
}

/* ---- the server ---- */

static int connect_prepare(struct server *server)
{
	const struct timeval interval = {.tv_usec = CHECK_MS * 1000};
	const struct worker *worker = server->worker;
	const struct transport_ops *transport = server->links.transport;
	uint32_t clients = worker->plan->spec.clients;

	server->listener = transport->listen(worker->medium,
					     clients > BACKLOG_MIN ? (int)clients : BACKLOG_MIN);
	if (server->listener < 0)
		return links_fail(&server->links, "cannot listen", server->listener);
	/* The timeout applies to accept() as well. */
	setsockopt(server->listener, SOL_SOCKET, SO_RCVTIMEO, &interval, sizeof(interval));
	return EXIT_SUCCESS;
}

/* A client that is gone counts what it has received itself. */
static void text_send(struct server *server, int fd, uint64_t number)
{
	size_t size = server->worker->plan->spec.size, sent = 0;
	struct post post = links_make(&server->links, LINK_SERVER, number, size);

	post.header.stamp_ns = clock_now_ns();
	memcpy(post.message, &post.header, sizeof(post.header));
	while (sent < size) {
		ssize_t more = send(fd, (char *)post.message + sent, size - sent, MSG_NOSIGNAL);

		if (more < 0 && errno != EINTR)
			return;
		sent += more > 0 ? (size_t)more : 0;
	}
}

/* Serves as long as there are clients: a client that is to end finishes its connection first. */
static int connect_server(struct server *server)
{
	const struct worker *worker = server->worker;
	struct slot *slot = worker_slot(worker);
	int status = EXIT_SUCCESS;

	for (uint64_t number = 0; !status && !shared_all_finished(worker->shared);) {
		int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				status = worker_fail(worker, "cannot accept a connection",
						     server->links.transport->name, -errno,
						     "allow more open files (ulimit -n)");
			continue;
		}
		text_send(server, fd, number++);
		close(fd);
		atomic_store_explicit(&slot->rounds, number / worker->plan->spec.clients,
				      memory_order_relaxed);
	}
	close(server->listener);
	return status;
}

/* ---- a client ---- */

static bool is_worth_a_retry(int err)
{
	return err == -ECONNREFUSED || err == -EAGAIN || err == -ETIMEDOUT || err == -ECONNRESET ||
	       err == -EADDRNOTAVAIL || err == -EINTR;
}

/*
 * A descriptor, or -errno; -EINTR: this client is to end. `*begun_ns` is when the attempt that
 * succeeded has begun.
 */
static int connection_make(const struct client *client, uint64_t *begun_ns)
{
	const struct worker *worker = client->worker;
	struct slot *slot = worker_slot(worker);
	int fd;

	for (;;) {
		*begun_ns = clock_now_ns();
		fd = client->links.transport->connect(worker->medium);
		if (fd >= 0)
			return fd;
		if (worker_is_over(worker))
			return -EINTR;
		if (!is_worth_a_retry(fd))
			return fd;
		atomic_fetch_add_explicit(&slot->retries, 1, memory_order_relaxed);
		worker_sleep_until(worker, clock_now_ns() + RETRY_NS);
	}
}

/*
 * Reads up to the end of the connection. Returns how many bytes came; one more than expected is
 * enough to know that there are too many. `*user_ns` is when the whole text was there.
 */
static size_t text_read(struct client *client, int fd, uint64_t *user_ns)
{
	const struct worker *worker = client->worker;
	const size_t size = worker->plan->spec.size;
	/* 0: as much as is missing */
	const size_t piece = client->links.transport->is_stream ? client->links.read_size : 0;
	size_t length = 0;
	ssize_t more;
	char excess;

	for (*user_ns = 0; length <= size; length += more > 0 ? (size_t)more : 0) {
		if (length < size)
			more = recv(fd, client->links.in + length,
				    piece && piece < size - length ? piece : size - length, 0);
		else
			more = recv(fd, &excess, sizeof(excess), 0);
		if (more == 0 || (more < 0 && (errno != EINTR || worker_is_over(worker))))
			break;
		if (more > 0 && length + (size_t)more == size)
			*user_ns = clock_now_ns();
	}
	return length;
}

/* `incoming` has the clock readings. */
static void text_note(struct client *client, size_t length, struct incoming *incoming,
		      uint64_t due_ns)
{
	const char *text = client->links.in;
	const size_t size = client->worker->plan->spec.size;
	struct message_header *header = &incoming->header;

	incoming->is_good = length == size && message_check(text, size, LINK_SERVER,
							    message_number(text, size, 0), header);
	header->client = client->link->client;
	header->number = client->link->received;
	header->due_ns = due_ns;
	links_note(&client->links, client->link, incoming);
}

/* 0; -EINTR: this client is to end; or -errno. */
static int connection_use(struct client *client, uint64_t due_ns)
{
	struct link *link = client->link;
	struct incoming incoming = {.client = link->client, .has_stamp = true};
	int fd = connection_make(client, &incoming.begun_ns);
	size_t length;

	if (fd < 0)
		return fd;
	incoming.connected_ns = clock_now_ns();
	/* Every accepted connection gets one text. */
	atomic_store_explicit(&link->in->sent, ++link->sent, memory_order_relaxed);
	length = text_read(client, fd, &incoming.user_ns);
	close(fd);
	incoming.closed_ns = clock_now_ns();
	if (length)
		text_note(client, length, &incoming, due_ns);
	return 0;
}

static int connect_client(struct client *client)
{
	const struct worker *worker = client->worker;
	const uint64_t period_ns = worker->plan->spec.period_ns;
	uint64_t due_ns = 0, paused_ns = 0;
	/* A pause makes no connection late. */
	uint64_t *move_ns = period_ns ? &due_ns : &paused_ns;
	int err = 0;

	client_await_go(client);
	if (period_ns)
		due_ns = clock_now_ns() + period_ns;
	for (uint64_t number = 0; number < worker->plan->rounds && !err; number++) {
		err = record_room_await(&client->links, client->link, move_ns);
		if (!err && period_ns)
			worker_sleep_until(worker, due_ns);
		if (!err)
			err = worker_is_over(worker) ? -EINTR : connection_use(client, due_ns);
		due_ns += period_ns;
	}
	return err && err != -EINTR ? links_fail(&client->links, "cannot connect", err)
				    : EXIT_SUCCESS;
}

const struct pattern connect_pattern = {
	.name = "connect",
	.summary = "each client connects, reads a message and closes, again and again",
	.to_clients = true,
	.without_links = true,
	.refuse = connect_refuse,
	.prepare = connect_prepare,
	.server = connect_server,
	.client = connect_client,
};
