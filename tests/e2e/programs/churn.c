// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads come and go: each sends one message to the main thread, and ends. Only so many come as a
 * file allows, which begins with a number that another process raises. First of all it takes one
 * message from its standard input.
 *
 *	churn FILE
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *send_one(void *data)
{
	return write(ends[1], data, sizeof(long)) == sizeof(long) ? NULL : data;
}

/* This is not reported by a message, which would be traced, too. */
static const volatile long *open_allowed(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *allowed = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, fd, 0);

	if (fd < 0 || allowed == MAP_FAILED) {
		perror("churn: cannot read what is allowed");
		exit(EXIT_FAILURE);
	}
	return allowed;
}

int main(int argc, char **argv)
{
	const volatile long *allowed = open_allowed(argc == 2 ? argv[1] : "");
	long got;
	void *failed = NULL;
	pthread_t thread;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) {
		perror("churn: cannot make a socket pair");
		return EXIT_FAILURE;
	}
	if (read(STDIN_FILENO, &got, sizeof(got)) <= 0)
		return EXIT_FAILURE;
	for (long i = 0; !failed; i++) {
		while (i >= *allowed)
			usleep(1000);
		if (pthread_create(&thread, NULL, send_one, &i) ||
		    read(ends[0], &got, sizeof(got)) != sizeof(got) || got != i ||
		    pthread_join(thread, &failed)) {
			perror("churn: a thread failed");
			return EXIT_FAILURE;
		}
	}
	return EXIT_FAILURE;
}
