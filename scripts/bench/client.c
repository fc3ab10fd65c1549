/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks a server the same question again and again, over several connections with one thread each,
 * and prints what scripts/bench/servers compares:
 *
 *	client unix:PATH|tcp:PORT CONNECTIONS REQUESTS PERIOD_NS ANSWER_BYTES QUESTION
 *
 * Each connection sends so many requests, the next one when the answer is complete, but at most one
 * every PERIOD_NS. "\r\n" in the question is written as "\\r\\n". One line: requests per second,
 * and the latency in nanoseconds: the 50th, 99th and 99.9th percentile, the largest, and how many
 * were longer than 2 ms.
 */
#include "common.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LONG_NS      2000000

static const char *address;
static long requests, period_ns;
static size_t answer_bytes, question_bytes;
static char question[4096];
static uint64_t *latency_ns;

static int open_unix(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die(path);
	return fd;
}

static int open_tcp(const char *port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons(atoi(port))};
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die(port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

static void ask(int fd)
{
	char answer[4096];
	size_t got = 0;

	if (write(fd, question, question_bytes) != (ssize_t)question_bytes)
		die("write");
	while (got < answer_bytes) {
		ssize_t n = read(fd, answer, sizeof(answer));

		if (n <= 0)
			die("read");
		got += n;
	}
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = {.tv_sec = at_ns / NSEC_PER_SEC, .tv_nsec = at_ns % NSEC_PER_SEC};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void *connection(void *number)
{
	uint64_t *mine = latency_ns + (intptr_t)number * requests;
	int fd = strncmp(address, "unix:", 5) ? open_tcp(address + 4) : open_unix(address + 5);
	uint64_t due_ns = now_ns();

	for (long i = 0; i < requests; i++) {
		uint64_t begin_ns;

		if (period_ns)
			sleep_until(due_ns += period_ns);
		begin_ns = now_ns();
		ask(fd);
		mine[i] = now_ns() - begin_ns;
	}
	close(fd);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void read_question(const char *text)
{
	for (; *text; text++) {
		if (!strncmp(text, "\\r\\n", 4)) {
			question[question_bytes++] = '\r';
			question[question_bytes++] = '\n';
			text += 3;
		} else {
			question[question_bytes++] = *text;
		}
	}
}

static void print_figures(long cnt, uint64_t took_ns)
{
	long late = 0;

	qsort(latency_ns, cnt, sizeof(*latency_ns), compare);
	while (late < cnt && latency_ns[cnt - 1 - late] > LONG_NS)
		late++;
	printf("%.1f %lu %lu %lu %lu %ld\n", cnt / (took_ns / 1e9), latency_ns[cnt / 2],
	       latency_ns[cnt * 99 / 100], latency_ns[cnt * 999 / 1000], latency_ns[cnt - 1], late);
}

int main(int argc, char **argv)
{
	pthread_t *thread;
	uint64_t begin_ns;
	long connections;

	if (argc != 7 || strlen(argv[6]) >= sizeof(question)) {
		fprintf(stderr, "client: wrong arguments: see the source\n");
		return 2;
	}
	address = argv[1];
	connections = atol(argv[2]);
	requests = atol(argv[3]);
	period_ns = atol(argv[4]);
	answer_bytes = atol(argv[5]);
	read_question(argv[6]);
	latency_ns = calloc(connections * requests, sizeof(*latency_ns));
	thread = calloc(connections, sizeof(*thread));
	if (!latency_ns || !thread)
		die("memory");
	begin_ns = now_ns();
	for (intptr_t i = 0; i < connections; i++)
		if (pthread_create(&thread[i], NULL, connection, (void *)i))
			die("thread");
	for (long i = 0; i < connections; i++)
		pthread_join(thread[i], NULL);
	print_figures(connections * requests, now_ns() - begin_ns);
	return 0;
}
