/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least that a client and a server can do: what scripts/bench-workload measures ipctrace's own
 * workload against. No contents, no bookkeeping; a client reads the clock around each exchange, as
 * whoever measures latencies must.
 *
 *	pingpong uds-stream|pipe|tcp pingpong|flood SIZE MESSAGES WARMUP rr|other SERVER-CPU
 *CLIENT-CPU
 *
 * Prints nanoseconds per exchange, or per message of a flood as its receiver sees it. The warm-up
 *is not counted. A CPU of -1 is any.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct side {
	int in;
	int out;
};

static char *buffer;
static size_t size;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void put(int fd)
{
	for (size_t done = 0; done < size;) {
		ssize_t wrote = write(fd, buffer + done, size - done);

		if (wrote <= 0)
			die("write");
		done += wrote;
	}
}

static void take(int fd)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(fd, buffer + done, size - done);

		if (got <= 0)
			die("read");
		done += got;
	}
}

static void make_pipes(struct side side[2])
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		die("pipe");
	side[0] = (struct side){.in = there[0], .out = back[1]};
	side[1] = (struct side){.in = back[0], .out = there[1]};
}

static void make_unix(struct side side[2])
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		die("socketpair");
	side[0] = (struct side){.in = fd[0], .out = fd[0]};
	side[1] = (struct side){.in = fd[1], .out = fd[1]};
}

static void make_tcp(struct side side[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, fd[2];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		die("listen");
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd[1], (struct sockaddr *)&address, length))
		die("connect");
	fd[0] = accept(listener, NULL, NULL);
	for (int i = 0; i < 2; i++) {
		if (fd[i] < 0 || setsockopt(fd[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
			die("TCP_NODELAY");
		side[i] = (struct side){.in = fd[i], .out = fd[i]};
	}
}

static void settle(const char *policy, int priority, int cpu)
{
	struct sched_param param = {.sched_priority = priority};
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET(cpu, &set);
	if (cpu >= 0 && sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	if (!strcmp(policy, "rr") && sched_setscheduler(0, SCHED_RR, &param))
		die("sched_setscheduler");
}

/* Answers each message, or only counts the time that they take. Its first one says that it is
 * there. */
static void serve(const struct side *side, bool answers, long messages, long warmup)
{
	uint64_t begin_ns = 0;

	put(side->out);
	for (long i = 0; i < warmup + messages; i++) {
		take(side->in);
		if (i == warmup)
			begin_ns = now_ns();
		if (answers)
			put(side->out);
	}
	if (!answers)
		printf("%.1f\n", (double)(now_ns() - begin_ns) / (messages - 1));
}

static void flood(const struct side *side, long cnt)
{
	take(side->in);
	for (long i = 0; i < cnt; i++)
		put(side->out);
}

static void ask(const struct side *side, long messages, long warmup)
{
	uint64_t begin_ns = 0, sent_ns, sum_ns = 0;

	take(side->in);
	for (long i = 0; i < warmup + messages; i++) {
		sent_ns = now_ns();
		if (i == warmup)
			begin_ns = sent_ns;
		put(side->out);
		take(side->in);
		if (i >= warmup)
			sum_ns += now_ns() - sent_ns;
	}
	printf("%.1f %.1f\n", (double)sum_ns / messages, (double)(now_ns() - begin_ns) / messages);
}

int main(int argc, char **argv)
{
	struct side side[2];
	bool answers;
	long messages, warmup;
	int status;
	pid_t pid;

	if (argc != 9)
		return 2;
	answers = !strcmp(argv[2], "pingpong");
	size = atol(argv[3]);
	messages = atol(argv[4]);
	warmup = atol(argv[5]);
	buffer = calloc(1, size);
	if (!strcmp(argv[1], "pipe"))
		make_pipes(side);
	else if (!strcmp(argv[1], "tcp"))
		make_tcp(side);
	else
		make_unix(side);
	pid = fork();
	if (pid < 0)
		die("fork");
	settle(argv[6], pid ? 98 : 99, atoi(argv[pid ? 8 : 7]));
	if (pid && answers)
		ask(&side[1], messages, warmup);
	else if (pid)
		flood(&side[1], warmup + messages);
	else
		serve(&side[0], answers, messages, warmup);
	fflush(stdout);
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	return status ? 1 : 0;
}
