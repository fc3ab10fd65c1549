// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads come and go: each sends one message to the main thread, and ends.
 *
 *	churn COUNT
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *send_one(void *data)
{
	return write(ends[1], data, sizeof(long)) == sizeof(long) ? NULL : data;
}

int main(int argc, char **argv)
{
	long cnt = argc == 2 ? atol(argv[1]) : 0, got;
	void *failed = NULL;
	pthread_t thread;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) {
		perror("churn: cannot make a socket pair");
		return EXIT_FAILURE;
	}
	for (long i = 0; i < cnt && !failed; i++) {
		if (pthread_create(&thread, NULL, send_one, &i) ||
		    read(ends[0], &got, sizeof(got)) != sizeof(got) || got != i ||
		    pthread_join(thread, &failed)) {
			perror("churn: a thread failed");
			return EXIT_FAILURE;
		}
	}
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
