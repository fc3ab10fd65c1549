/* SPDX-License-Identifier: BSD-2-Clause */
/* An echo server with liburing and a planted handler: uring_server PORT WAY */
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64
#define NS_PER_S 1000000000ull

enum operation { ACCEPT, RECEIVE, SEND };

struct connection {
	int fd;
	enum operation operation;
	char data[65536];
};

static struct connection connections[CONNECTIONS_MAX];
static struct io_uring ring;
static sem_t wanted, released;

static unsigned long long held_until_ns;

static void nap(unsigned ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static unsigned long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void *hold(void *unused)
{
	for (;;) {
		unsigned long long now;

		sem_wait(&wanted);
		now = now_ns();
		nap(now < held_until_ns ? held_until_ns - now : 0);
		sem_post(&released);
	}
	return unused;
}

static void handle(const char *way)
{
	unsigned long long end = now_ns() + 500000;

	if (!strcmp(way, "spin")) {
		while (now_ns() < end)
			;
	} else if (!strcmp(way, "sleep")) {
		nap(3000000);
	} else if (!strcmp(way, "lock")) {
		held_until_ns = now_ns() + 2000000;
		sem_post(&wanted);
		sem_wait(&released);
	}
}

static void submit(struct connection *connection, enum operation operation, unsigned bytes)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	connection->operation = operation;
	if (operation == ACCEPT)
		io_uring_prep_accept(sqe, connection->fd, NULL, NULL, 0);
	else if (operation == RECEIVE)
		io_uring_prep_recv(sqe, connection->fd, connection->data, sizeof(connection->data), 0);
	else
		io_uring_prep_send(sqe, connection->fd, connection->data, bytes, 0);
	io_uring_sqe_set_data(sqe, connection);
	io_uring_submit(&ring);
}

static int listen_at(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 64)) {
		perror("uring_server");
		exit(1);
	}
	return fd;
}

static void accepted(int fd)
{
	static unsigned cnt = 1;

	if (fd < 0 || cnt == CONNECTIONS_MAX)
		exit(1);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){true}, sizeof(int));
	connections[cnt].fd = fd;
	submit(&connections[cnt++], RECEIVE, 0);
}

static void finished(struct connection *connection, int result, const char *way)
{
	if (connection->operation == ACCEPT) {
		accepted(result);
		submit(connection, ACCEPT, 0);
	} else if (connection->operation == SEND) {
		submit(connection, RECEIVE, 0);
	} else if (result <= 0) {
		close(connection->fd);
	} else {
		handle(way);
		submit(connection, SEND, result);
	}
}

int main(int argc, char **argv)
{
	struct io_uring_cqe *cqe;
	pthread_t thread;

	if (argc != 3)
		return 2;
	sem_init(&wanted, 0, 0);
	sem_init(&released, 0, 0);
	pthread_create(&thread, NULL, hold, NULL);
	if (io_uring_queue_init(CONNECTIONS_MAX, &ring, 0)) {
		fprintf(stderr, "uring_server: this kernel allows no io_uring\n");
		return 1;
	}
	connections[0].fd = listen_at(atoi(argv[1]));
	submit(&connections[0], ACCEPT, 0);
	for (;;) {
		struct connection *connection;
		int result;

		if (io_uring_wait_cqe(&ring, &cqe))
			continue;
		connection = io_uring_cqe_get_data(cqe);
		result = cqe->res;
		io_uring_cqe_seen(&ring, cqe);
		finished(connection, result, argv[2]);
	}
}
