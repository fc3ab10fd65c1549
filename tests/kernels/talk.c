// SPDX-License-Identifier: BSD-2-Clause
/*
 * A server that others talk to, and one of these, over a unix stream socket.
 *
 *	talk serve PATH		answers every client with its own words, until SIGTERM
 *	talk ask PATH COUNT	asks so often, one question after the other
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define QUESTION 64

static int fail(const char *what)
{
	fprintf(stderr, "talk: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

static void answer(int fd)
{
	char words[QUESTION];
	ssize_t size;

	while ((size = read(fd, words, sizeof(words))) > 0) {
		if (write(fd, words, size) != size)
			break;
	}
	close(fd);
}

static int serve(int fd, const struct sockaddr_un *address)
{
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) || listen(fd, 8))
		return fail("cannot listen");
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client < 0)
			return fail("cannot accept");
		answer(client);
	}
}

static int ask(int fd, const struct sockaddr_un *address, long count)
{
	char words[QUESTION] = "how are you?";

	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		return fail("cannot connect");
	while (count--) {
		if (write(fd, words, sizeof(words)) != sizeof(words))
			return fail("cannot ask");
		if (read(fd, words, sizeof(words)) != sizeof(words))
			return fail("no answer");
		usleep(1000);
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (argc < 3 || fd < 0)
		return fail("usage: talk serve PATH | talk ask PATH COUNT");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[2]);
	return strcmp(argv[1], "serve") ? ask(fd, &address, argc > 3 ? atol(argv[3]) : 1)
					: serve(fd, &address);
}
