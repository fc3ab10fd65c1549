// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sends rounds to processes of its own, with mistakes that are planted, or a message that goes
 * through all of them. Its first process is the conductor.
 *
 *	conductor rounds PERIOD ROUNDS KIND EVERY
 *		KIND is none, or what happens in every EVERY-th round:
 *		busy	the conductor computes until the round is late by 0.8 periods
 *		asleep	it sleeps so long
 *		held	it computes for 1.3 periods before its last send
 *		slow	the last client computes for 2.5 periods after its message
 *	conductor chain PERIOD ROUNDS WORK...
 *		a process for each WORK, which it takes (ns) before it passes the message on; the
 *		last one sends it back. Prints how long each cycle took.
 *
 * Waits for a line before the first round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <stdint.h>

#define CLIENTS 3

static uint64_t period_ns, rounds;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void compute_until(uint64_t until_ns)
{
	while (now_ns() < until_ns)
		;
}

static void sleep_until(uint64_t until_ns)
{
	const struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		die("no line");
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

/* `slow_every` 0: never. */
static void listen_to_rounds(int from, uint64_t slow_every)
{
	uint64_t round;

	while (read(from, &round, sizeof(round)) > 0) {
		if (slow_every && round % slow_every == slow_every - 1)
			compute_until(now_ns() + period_ns * 5 / 2);
	}
	exit(0);
}

static void begin_clients(int to[CLIENTS], uint64_t slow_every)
{
	for (int i = 0; i < CLIENTS; i++) {
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
			die("socketpair");
		if (!fork()) {
			for (int k = 0; k < i; k++)
				close(to[k]);
			close(ends[0]);
			listen_to_rounds(ends[1], i == CLIENTS - 1 ? slow_every : 0);
		}
		close(ends[1]);
		to[i] = ends[0];
	}
}

static int conduct_rounds(const char *kind, uint64_t every)
{
	uint64_t due_ns, round;
	int to[CLIENTS];

	begin_clients(to, strcmp(kind, "slow") ? 0 : every);
	ready();
	due_ns = now_ns() + period_ns;
	for (round = 0; round < rounds; round++) {
		int is_planted = round % every == every - 1;
		uint64_t late_ns = due_ns + period_ns * 4 / 5;

		if (is_planted && !strcmp(kind, "busy"))
			compute_until(late_ns);
		else
			sleep_until(is_planted && !strcmp(kind, "asleep") ? late_ns : due_ns);
		due_ns = now_ns() + period_ns;
		for (int i = 0; i < CLIENTS; i++) {
			if (is_planted && i == CLIENTS - 1 && !strcmp(kind, "held"))
				compute_until(now_ns() + period_ns * 13 / 10);
			if (write(to[i], &round, sizeof(round)) < 0)
				die("write");
		}
	}
	for (int i = 0; i < CLIENTS; i++)
		close(to[i]);
	wait_for_all();
	return 0;
}

static void pass_on(int from, int to, uint64_t work_ns)
{
	uint64_t round;

	while (read(from, &round, sizeof(round)) > 0) {
		compute_until(now_ns() + work_ns);
		if (write(to, &round, sizeof(round)) < 0)
			die("write");
	}
	exit(0);
}

/* Returns what the last of them writes to; `*to` is what the first one reads. */
static int begin_chain(int cnt, char **work, int *to)
{
	int first[2], from, ends[2];

	if (pipe(first))
		die("pipe");
	from = first[0];
	*to = first[1];
	for (int i = 0; i < cnt; i++) {
		if (pipe(ends))
			die("pipe");
		if (!fork()) {
			close(*to);
			close(ends[0]);
			pass_on(from, ends[1], atoll(work[i]));
		}
		close(from);
		close(ends[1]);
		from = ends[0];
	}
	return from;
}

static int conduct_chain(int cnt, char **work)
{
	uint64_t due_ns, round, begin_ns;
	int to, from = begin_chain(cnt, work, &to);

	ready();
	due_ns = now_ns() + period_ns;
	for (round = 0; round < rounds; round++, due_ns += period_ns) {
		uint64_t back;

		sleep_until(due_ns);
		begin_ns = now_ns();
		if (write(to, &round, sizeof(round)) < 0 || read(from, &back, sizeof(back)) < 0)
			die("the chain is broken");
		printf("%llu\n", (unsigned long long)(now_ns() - begin_ns));
	}
	close(to);
	wait_for_all();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	period_ns = atoll(argv[2]);
	rounds = atoll(argv[3]);
	if (!strcmp(argv[1], "chain"))
		return conduct_chain(argc - 4, argv + 4);
	return argc == 6 ? conduct_rounds(argv[4], atoll(argv[5])) : 2;
}
