/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports whose messages lie in memory or in a queue: ends that come and go, and what stays in
 * the system. */
#include "support/queues.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Messages in one direction: more than a queue of exchanges holds. */
#define BURST 500

static void leaving_server(struct ends_side *side)
{
	uint32_t from = LINK_SERVER;
	int err = 0;

	ends_expect(side, ends_receive(side, &from) == 0 && from == 1);
	for (int i = 0; i < BURST && !err; i++)
		err = ends_send(side, 1, false);
	ends_expect(side, err == -EPIPE || err == -ECONNRESET || err == -ECONNREFUSED);
	/* The other client is not affected, and the end of the first is not reported again. */
	for (int i = 0; i < EXCHANGES; i++) {
		ends_expect(side, ends_send(side, 2, true) == 0);
		ends_expect(side, ends_receive(side, &from) == 1 && from == 2);
	}
}

static void leaving_client(struct ends_side *side)
{
	if (side->client == 1)
		return;
	while (ends_receive(side, NULL) == 1)
		ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
}

TEST(test_leaving)
{
	for (size_t i = 0; i < QUEUES_CNT; i++)
		for (int threads = 0; threads <= 1; threads++) {
			struct ends_spec spec = {
				.ops = queues[i], .clients = 2, .size = 64, .threads = threads};

			ends_run(&spec, leaving_server, leaving_client);
		}
}

/* Sends to a killed client fail or fill its queue. They do not disturb the other client. */
static void survivor_server(struct ends_side *side)
{
	uint32_t from = LINK_SERVER;

	ends_await(side, 0, 1);
	for (int i = 0; i < 100; i++) {
		int err = ends_send(side, 1, false);

		ends_expect(side, !err || err == -EAGAIN || err == -ECONNREFUSED);
		ends_expect(side, ends_send(side, 2, true) == 0);
		ends_expect(side, ends_receive(side, &from) == 1 && from == 2);
	}
}

static void survivor_client(struct ends_side *side)
{
	if (side->client == 1) {
		ends_tell(side, 0);
		raise(SIGKILL);
	}
	leaving_client(side);
}

TEST(test_killed_client)
{
	for (size_t i = 0; i < QUEUES_CNT; i++) {
		struct ends_spec spec = {.ops = queues[i], .clients = 2, .size = 64};
		const struct ends_outcome *outcome =
			ends_run(&spec, survivor_server, survivor_client);

		queues_assert_direction(outcome, LINK_SERVER, 2, 100);
		assert_int_equal(WTERMSIG(outcome->sides[1].status), SIGKILL);
	}
}

/* All queues are there from create() on: a client may open its end first, and is not admitted. */
TEST(test_client_first)
{
	char data[64] = "";
	uint32_t from;

	for (size_t i = 0; i < QUEUES_CNT; i++) {
		struct medium *medium = queues_medium_make(queues[i]);
		struct end *client = queues[i]->open(medium, 1);
		struct end *server = queues[i]->open(medium, LINK_SERVER);

		assert_null(queues[i]->admit);
		assert_int_equal(queues[i]->send(client, LINK_SERVER, "x", 1, false), 0);
		assert_int_equal(queues[i]->receive(server, data, sizeof(data), &from), 1);
		assert_string_equal(data, "x");
		assert_int_equal(from, 1);
		queues[i]->close(client);
		queues[i]->close(server);
		queues[i]->destroy(medium);
	}
}

TEST(test_too_large)
{
	char data[65] = {0};

	for (size_t i = 0; i < QUEUES_CNT; i++) {
		struct medium *medium = queues_medium_make(queues[i]);
		struct end *server = queues[i]->open(medium, LINK_SERVER);

		assert_int_equal(queues[i]->send(server, 1, data, sizeof(data), false), -EMSGSIZE);
		queues[i]->close(server);
		queues[i]->destroy(medium);
	}
}

/* How many System V queues have `pid` as their last sender. */
static int queues_of(pid_t pid)
{
	FILE *list = fopen("/proc/sysvipc/msg", "r");
	char line[256];
	int count = 0, sender;

	assert_non_null(list);
	while (fgets(line, sizeof(line), list))
		count += sscanf(line, "%*s %*s %*s %*s %*s %d", &sender) == 1 && sender == pid;
	fclose(list);
	return count;
}

/* Sends a message over both queues of a link. */
static struct medium *queues_use(struct end **server, struct end **client)
{
	struct medium *medium = queues_medium_make(&sysv_transport);

	*server = sysv_transport.open(medium, LINK_SERVER);
	*client = sysv_transport.open(medium, 1);
	sysv_transport.send(*server, 1, "", 1, false);
	sysv_transport.send(*client, LINK_SERVER, "", 1, false);
	return medium;
}

/* A driver in a process of its own, which has used both queues. */
static _Noreturn void driver_run(int closed_reported)
{
	struct end *server, *client;

	queues_use(&server, &client);
	if (write(closed_reported, "", 1) == 1)
		pause();
	_exit(1);
}

TEST(test_killed_driver_leaves_no_queue)
{
	char byte;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		driver_run(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(queues_of(pid), 2);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int looks = 0; queues_of(pid) && looks < 10000; looks++)
		usleep(1000);
	assert_int_equal(queues_of(pid), 0);
	close(fds[0]);
	close(fds[1]);
}

TEST(test_destroy_leaves_no_queue)
{
	struct end *server, *client;
	struct medium *medium = queues_use(&server, &client);

	assert_int_equal(queues_of(getpid()), 2);
	sysv_transport.close(client);
	sysv_transport.close(server);
	sysv_transport.destroy(medium);
	assert_int_equal(queues_of(getpid()), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* mq_open() works without this mount; the names are not visible then. */
static int names_in(const char *path)
{
	DIR *entries = opendir(path);
	struct dirent *entry;
	char own[32];
	int count = 0;

	snprintf(own, sizeof(own), "ipctrace-%d", (int)getpid());
	while (entries && (entry = readdir(entries)))
		count += !strncmp(entry->d_name, own, strlen(own));
	if (entries)
		closedir(entries);
	return count;
}

TEST(test_no_names)
{
	for (size_t i = 0; i < QUEUES_CNT; i++) {
		struct medium *medium = queues_medium_make(queues[i]);

		assert_int_equal(names_in("/dev/mqueue"), 0);
		assert_int_equal(names_in("/dev/shm"), 0);
		queues[i]->destroy(medium);
	}
}
