/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The least that a client and a server can do: what scripts/bench/workload measures ipctrace's own
 * workload against, and what scripts/bench/tracers traces. No contents, no bookkeeping; a client reads the
 * clock around each exchange, as every measurement of latencies must.
 *
 *	pingpong uds|uds-stream|pipe|tcp pingpong|flood|push SIZE MESSAGES WARMUP rr|other
 *		 SERVER-CPU CLIENT-CPU [STRETCHES]
 *
 * Prints nanoseconds: of a pingpong per exchange by the client's readings, and from one exchange to
 * the next; of a flood per message as its receiver sees it; of a push, which serves CLIENTS clients
 * every TICK_NS, the mean latency. The warm-up is not counted. A CPU of -1 is any.
 *
 * With STRETCHES it first prints "pids" and the ids of its processes, and waits for a line that
 * says how many messages a stretch has; then a line of figures for each stretch.
 */
#include "common.h"

#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS      5
#define TICK_NS      10000000

struct side {
	int in;
	int out;
};

/* What the processes share: how long a stretch is, and of a push the sum of its latencies. */
struct shared {
	long messages;
	uint64_t latency_ns[CLIENTS];
};

static const char *transport, *policy;
static int server_cpu, client_cpu;
static long warmup, stretches = 1;
static bool waits;
static char *buffer;
static size_t size;
static struct shared *shared;
static pid_t child[CLIENTS];

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

static void make_unix(struct side side[2], int type)
{
	int fd[2];

	if (socketpair(AF_UNIX, type, 0, fd))
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
	close(listener);
}

static void make_link(struct side side[2])
{
	if (!strcmp(transport, "pipe"))
		make_pipes(side);
	else if (!strcmp(transport, "tcp"))
		make_tcp(side);
	else
		make_unix(side, !strcmp(transport, "uds") ? SOCK_DGRAM : SOCK_STREAM);
}

static void settle(int priority, int cpu)
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

/* Waits until a tracer is attached, which a line on stdin says. */
static void wait_for_word(void)
{
	char line[32];

	if (!waits)
		return;
	printf("pids %d", getpid());
	for (int i = 0; i < CLIENTS && child[i]; i++)
		printf(" %d", child[i]);
	printf("\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(0);
	shared->messages = atol(line);
}

/* Answers each message, or only counts the time that they take. Its first one says that it is
 * there. */
static void serve(const struct side *side, bool answers)
{
	uint64_t begin_ns;

	put(side->out);
	for (long i = 0; i < warmup; i++) {
		take(side->in);
		if (answers)
			put(side->out);
	}
	for (long stretch = 0; stretch < stretches; stretch++) {
		take(side->in);
		begin_ns = now_ns();
		for (long i = 1; i < shared->messages; i++) {
			if (answers)
				put(side->out);
			take(side->in);
		}
		if (answers)
			put(side->out);
		else
			printf("%.1f\n", (double)(now_ns() - begin_ns) / (shared->messages - 1));
	}
}

static void flood(const struct side *side)
{
	take(side->in);
	for (long i = 0; i < warmup; i++)
		put(side->out);
	wait_for_word();
	for (long i = 0; i < stretches * shared->messages; i++)
		put(side->out);
}

static void ask(const struct side *side)
{
	take(side->in);
	for (long i = 0; i < warmup; i++) {
		put(side->out);
		take(side->in);
	}
	wait_for_word();
	for (long stretch = 0; stretch < stretches; stretch++) {
		long messages = shared->messages;
		uint64_t begin_ns = now_ns(), sum_ns = 0, sent_ns;

		for (long i = 0; i < messages; i++) {
			sent_ns = now_ns();
			put(side->out);
			take(side->in);
			sum_ns += now_ns() - sent_ns;
		}
		printf("%.1f %.1f\n", (double)sum_ns / messages,
		       (double)(now_ns() - begin_ns) / messages);
	}
}

/* A client of a push: every message carries the instant when its round began. */
static void listen_to_ticks(const struct side *side, int client)
{
	uint64_t sent_ns;

	for (;;) {
		take(side->in);
		memcpy(&sent_ns, buffer, sizeof(sent_ns));
		shared->latency_ns[client] += now_ns() - sent_ns;
	}
}

static void tick(const struct side *side, long rounds)
{
	const struct timespec period = {.tv_nsec = TICK_NS};
	uint64_t stamp_ns;

	for (long i = 0; i < rounds; i++) {
		stamp_ns = now_ns();
		memcpy(buffer, &stamp_ns, sizeof(stamp_ns));
		for (int client = 0; client < CLIENTS; client++)
			put(side[client].out);
		nanosleep(&period, NULL); /* all have their message by the end of it */
	}
}

static void push(const struct side *side)
{
	tick(side, warmup);
	wait_for_word();
	for (long stretch = 0; stretch < stretches; stretch++) {
		uint64_t sum_ns = 0;

		memset(shared->latency_ns, 0, sizeof(shared->latency_ns));
		tick(side, shared->messages);
		for (int client = 0; client < CLIENTS; client++)
			sum_ns += shared->latency_ns[client];
		printf("%.1f\n", (double)sum_ns / shared->messages / CLIENTS);
	}
}

static bool is_child(int i)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	child[i] = pid;
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return !pid;
}

static int run_push(void)
{
	struct side server[CLIENTS], side[2];

	for (int i = 0; i < CLIENTS; i++) {
		make_link(side);
		server[i] = side[0];
		if (is_child(i)) {
			settle(98, client_cpu);
			listen_to_ticks(&side[1], i);
		}
	}
	settle(99, server_cpu);
	push(server);
	fflush(stdout);
	for (int i = 0; i < CLIENTS; i++)
		kill(child[i], SIGKILL);
	return 0;
}

static int run_pair(bool answers)
{
	struct side side[2];
	int status;

	make_link(side);
	if (is_child(0)) {
		settle(99, server_cpu);
		serve(&side[0], answers);
		fflush(stdout);
		_exit(0);
	}
	settle(98, client_cpu);
	if (answers)
		ask(&side[1]);
	else
		flood(&side[1]);
	fflush(stdout);
	waitpid(child[0], &status, 0);
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 9 && argc != 10)
		return 2;
	transport = argv[1];
	size = atol(argv[3]);
	warmup = atol(argv[5]);
	policy = argv[6];
	server_cpu = atoi(argv[7]);
	client_cpu = atoi(argv[8]);
	waits = argc == 10;
	if (waits)
		stretches = atol(argv[9]);
	buffer = calloc(1, size);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (!buffer || shared == MAP_FAILED)
		die("memory");
	shared->messages = atol(argv[4]);
	return strcmp(argv[2], "push") ? run_pair(!strcmp(argv[2], "pingpong")) : run_push();
}
