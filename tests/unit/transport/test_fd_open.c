/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports that are made of descriptors: how ends open and find each other, and what they leave
 * behind. */
#include "bpf/record.h"
#include "support/fd_transports.h"
#include "transport/inet.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The following tests do without ends_run(): server and client are this process. */
struct alone {
	const struct transport_ops *ops;
	struct medium *medium;
	struct end *server, *client;
	char directory[32];
};

static void alone_create(struct alone *alone, const struct transport_ops *ops)
{
	struct medium_spec spec = {
		.ops = ops, .directory = alone->directory, .clients = 1, .size = 64};

	*alone = (struct alone){.ops = ops, .directory = "/tmp/ipctrace-alone-XXXXXX"};
	assert_non_null(mkdtemp(alone->directory));
	alone->medium = ops->create(&spec);
	assert_non_null(alone->medium);
}

/* rmdir() fails if anything is left. */
static void alone_destroy(struct alone *alone)
{
	alone->ops->destroy(alone->medium);
	assert_int_equal(rmdir(alone->directory), 0);
}

static void alone_serve(struct alone *alone, const struct transport_ops *ops)
{
	alone_create(alone, ops);
	alone->server = ops->open(alone->medium, LINK_SERVER);
	assert_non_null(alone->server);
}

static void alone_close(struct alone *alone)
{
	alone->ops->close(alone->client);
	alone->ops->close(alone->server);
	alone_destroy(alone);
}

static void *alone_join(void *argument)
{
	struct alone *alone = argument;

	alone->client = alone->ops->open(alone->medium, 1);
	return NULL;
}

/* Waits for the client as long as it takes. */
static void alone_admit(const struct alone *alone)
{
	int err;

	do
		err = alone->ops->admit(alone->server, 1);
	while (err == -ETIMEDOUT);
	assert_int_equal(err, 0);
}

static void alone_link(struct alone *alone)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, alone_join, alone), 0);
	alone_admit(alone);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_non_null(alone->client);
}

static void alone_exchange(const struct alone *alone)
{
	char text[64] = "";
	uint32_t from = UINT32_MAX;

	assert_int_equal(alone->ops->send(alone->server, 1, "down", 4, false), 0);
	assert_int_equal(alone->ops->receive(alone->client, text, sizeof(text), &from), 4);
	assert_string_equal(text, "down");
	assert_int_equal(from, LINK_SERVER);
	assert_int_equal(alone->ops->send(alone->client, LINK_SERVER, "up!!", 4, true), 0);
	assert_int_equal(alone->ops->receive(alone->server, text, sizeof(text), &from), 4);
	assert_string_equal(text, "up!!");
	assert_int_equal(from, 1);
}

static void nothing_stays(void **state)
{
	int before = descriptors(false);
	struct alone alone;

	alone_serve(&alone, *state);
	alone_link(&alone);
	alone_exchange(&alone);
	alone_close(&alone);
	assert_int_equal(descriptors(false), before);
	alone.ops->destroy(NULL);
}

/* A killed server has removed nothing. */
static void destroyed_alone(void **state)
{
	struct alone alone;
	pid_t server;

	alone_create(&alone, *state);
	server = fork();
	if (!server)
		_exit(!alone.ops->open(alone.medium, LINK_SERVER));
	assert_int_equal(waitpid(server, &(int){0}, 0), server);
	alone_destroy(&alone);
}

static void *alone_admit_once(void *argument)
{
	struct alone *alone = argument;

	return (void *)(intptr_t)alone->ops->admit(alone->server, 1);
}

enum { NR_LATE = 4 };

/* Clients join after admit() has timed out. All servers wait at the same time. */
TEST(late_joiners)
{
	static const struct transport_ops *const ops[NR_LATE] = {
		&uds_stream_transport, &udp_transport, &pipe_transport, &fifo_transport};
	struct alone alone[NR_LATE];
	pthread_t waiting[NR_LATE];
	void *err;

	for (size_t i = 0; i < NR_LATE; i++) {
		alone_serve(&alone[i], ops[i]);
		pthread_create(&waiting[i], NULL, alone_admit_once, &alone[i]);
	}
	for (size_t i = 0; i < NR_LATE; i++) {
		assert_int_equal(pthread_join(waiting[i], &err), 0);
		assert_int_equal((intptr_t)err, -ETIMEDOUT);
		alone_link(&alone[i]);
		alone_exchange(&alone[i]);
		alone_close(&alone[i]);
	}
}

static void *alone_join_and_receive(void *argument)
{
	struct alone *alone = argument;
	char text[64];
	uint32_t from;

	alone_join(alone);
	return (void *)(alone->client
				? alone->ops->receive(alone->client, text, sizeof(text), &from)
				: -1);
}

/* A client that joins before admit() does not see an end of the link. */
static void early_joiner(void **state)
{
	struct alone alone;
	pthread_t thread;
	void *received;

	alone_serve(&alone, *state);
	assert_int_equal(pthread_create(&thread, NULL, alone_join_and_receive, &alone), 0);
	usleep(20000);
	alone_admit(&alone);
	assert_int_equal(alone.ops->send(alone.server, 1, "down", 4, false), 0);
	assert_int_equal(pthread_join(thread, &received), 0);
	assert_int_equal((intptr_t)received, 4);
	alone_exchange(&alone);
	alone_close(&alone);
}

/* A foreign connection to the port is closed; the client connects after it. */
static void stranger(void **state)
{
	struct alone alone;
	pthread_t thread;
	char byte;
	int fd;

	alone_serve(&alone, *state);
	fd = inet_bound(alone.medium->family, SOCK_STREAM);
	assert_true(fd >= 0);
	assert_int_equal(inet_connect(fd, alone.medium->family, alone.medium->server_port), 0);
	assert_int_equal(pthread_create(&thread, NULL, alone_join, &alone), 0);
	alone_admit(&alone);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
	alone_exchange(&alone);
	alone_close(&alone);
}

static void without_a_server(void **state)
{
	struct alone alone;

	alone_create(&alone, *state);
	errno = 0;
	assert_null(alone.ops->open(alone.medium, 1));
	assert_true(errno == ENOENT || errno == ECONNREFUSED);
	alone_destroy(&alone);
}

static void assert_not_delayed(const struct transport_ops *ops, int fd)
{
	socklen_t length = sizeof(int);
	int on = 0;

	if (ops->id != TRANSPORT_TCP && ops->id != TRANSPORT_TCP6)
		return;
	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &length), 0);
	assert_int_equal(on, 1);
}

enum { BACKLOG = 8 };

/* The whole backlog can wait before the first connection is accepted. */
static void connections(void **state)
{
	int waiting[BACKLOG], listening;
	struct alone alone;
	char text[8] = "";

	alone_create(&alone, *state);
	assert_non_null(alone.ops->listen);
	listening = alone.ops->listen(alone.medium, BACKLOG);
	assert_true(listening >= 0);
	for (unsigned int i = 0; i < BACKLOG; i++) {
		waiting[i] = alone.ops->connect(alone.medium);
		assert_true(waiting[i] >= 0);
		assert_int_equal(fcntl(waiting[i], F_GETFL) & O_NONBLOCK, 0);
		assert_int_equal(fcntl(waiting[i], F_GETFD), FD_CLOEXEC);
		assert_not_delayed(alone.ops, waiting[i]);
	}
	assert_int_equal(fcntl(listening, F_GETFL) & O_NONBLOCK, 0);
	for (unsigned int i = 0; i < BACKLOG; i++) {
		int fd = accept(listening, NULL, NULL);

		assert_not_delayed(alone.ops, fd);
		assert_int_equal(write(fd, "short", 5), 5);
		close(fd);
		assert_int_equal(read(waiting[i], text, sizeof(text)), 5);
		assert_string_equal(text, "short");
		assert_int_equal(read(waiting[i], text, sizeof(text)), 0);
		close(waiting[i]);
	}
	close(listening);
	alone_destroy(&alone);
}

static void too_large(void **state)
{
	const struct transport_ops *ops = *state;
	size_t size = ops->size_max() + 100;
	char *data = calloc(1, size);
	struct alone alone;

	alone_serve(&alone, ops);
	alone_link(&alone);
	assert_int_equal(ops->send(alone.server, 1, data, size, false), -EMSGSIZE);
	alone_exchange(&alone);
	alone_close(&alone);
	free(data);
}

TEST_LIST(ALL(nothing_stays), ALL(destroyed_alone), ALL(early_joiner), TCPS(stranger),
	  UNIXES(without_a_server), TCPS(without_a_server), ON(without_a_server, fifo),
	  UNIXES(connections), TCPS(connections), UDPS(too_large))
