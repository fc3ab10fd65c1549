/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two programs that stand for the reader's own in docs/recipes.md (scripts/maintain/stages.py). Named
 * my-server, it answers requests on a unix socket, each after a short computation. Named my-client,
 * it connects whenever the server is there, and makes a call every millisecond.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SIZE        64
#define CLIENTS_MAX 16
#define SERVICE_NS  30000
#define PAUSE_NS    1000000

static const struct sockaddr_un address = {.sun_family = AF_UNIX,
					   .sun_path = "/run/my-server.sock"};
static char data[SIZE];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void leave(int number)
{
	(void)number;
	_exit(0);
}

static void pause_ns(long ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* 0: the connection has ended. */
static int answer(int fd)
{
	const long long begin_ns = now_ns();

	if (read(fd, data, SIZE) <= 0)
		return 0;
	while (now_ns() - begin_ns < SERVICE_NS)
		;
	return write(fd, data, SIZE) == SIZE;
}

static void serve(int listener)
{
	struct pollfd fds[1 + CLIENTS_MAX] = {{.fd = listener, .events = POLLIN}};
	int cnt = 1;

	unlink(address.sun_path);
	if (bind(listener, (const struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, CLIENTS_MAX))
		die(address.sun_path);
	for (;;) {
		if (poll(fds, cnt, -1) < 0 && errno != EINTR)
			die("poll");
		for (int i = cnt - 1; i > 0; i--) {
			if (fds[i].revents && !answer(fds[i].fd)) {
				close(fds[i].fd);
				fds[i] = fds[--cnt];
			}
		}
		if (fds[0].revents && cnt <= CLIENTS_MAX)
			fds[cnt++] = (struct pollfd){.fd = accept(listener, NULL, NULL),
						     .events = POLLIN};
	}
}

static void call(void)
{
	for (;;) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		if (!connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
			while (write(fd, data, SIZE) == SIZE && read(fd, data, SIZE) == SIZE)
				pause_ns(PAUSE_NS);
		}
		close(fd);
		pause_ns(PAUSE_NS);
	}
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');

	(void)argc;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, leave);
	if (!strcmp(name ? name + 1 : argv[0], "my-server"))
		serve(socket(AF_UNIX, SOCK_STREAM, 0));
	call();
	return 0;
}
