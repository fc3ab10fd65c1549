// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps a CPU busy at SCHED_FIFO 99 again and again, and prints when: one "BEGIN END" a line, in
 * nanoseconds of CLOCK_MONOTONIC. The tests know from this what was really in the way of a message.
 *
 *	spinner CPU SPIN_NS PERIOD_NS COUNT [cpu]
 *
 * With "cpu" each line has the CPU time of the thread at its start and at its end, too: what a host
 * takes from an emulated CPU is in that.
 *
 * SIGTERM ends it early, after the line of the spin that it is in.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

struct spin {
	uint64_t begin_ns, end_ns;
	uint64_t begin_cpu_ns, end_cpu_ns;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The CPU times are outermost. */
static struct spin spin_for(uint64_t ns)
{
	struct spin spin;

	spin.begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	spin.begin_ns = now_ns();
	do {
		spin.end_ns = now_ns();
	} while (spin.end_ns < spin.begin_ns + ns);
	spin.end_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return spin;
}

static void print(const struct spin *spin, int with_cpu)
{
	printf("%llu %llu", (unsigned long long)spin->begin_ns, (unsigned long long)spin->end_ns);
	if (with_cpu)
		printf(" %llu %llu", (unsigned long long)spin->begin_cpu_ns,
		       (unsigned long long)spin->end_cpu_ns);
	putchar('\n');
}

static void sleep_until(uint64_t ns)
{
	struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR && !ended)
		;
}

static int fail(const char *what)
{
	fprintf(stderr, "spinner: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

static int set_up(int cpu)
{
	struct sched_param param = {.sched_priority = 99};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	prctl(PR_SET_NAME, "rt-spinner");
	signal(SIGTERM, on_end);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return fail("cannot lock memory");
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return fail("cannot pin");
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return fail("cannot become SCHED_FIFO 99");
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	uint64_t spin_ns, period_ns, count, due_ns, done = 0;
	struct spin *spins;

	if (argc != 5 && (argc != 6 || strcmp(argv[5], "cpu")))
		return fail("usage: spinner CPU SPIN_NS PERIOD_NS COUNT [cpu]");
	spin_ns = strtoull(argv[2], NULL, 10);
	period_ns = strtoull(argv[3], NULL, 10);
	count = strtoull(argv[4], NULL, 10);
	spins = calloc(count, sizeof(*spins));
	if (!spins || set_up(atoi(argv[1])))
		return EXIT_FAILURE;
	/* Nothing is printed while it spins: that would be work that is not in its notes. */
	for (due_ns = now_ns() + period_ns; done < count && !ended; done++) {
		sleep_until(due_ns);
		spins[done] = spin_for(spin_ns);
		due_ns += period_ns;
		if (due_ns < spins[done].end_ns)
			due_ns = spins[done].end_ns + period_ns;
	}
	for (uint64_t i = 0; i < done; i++)
		print(&spins[i], argc == 6);
	return EXIT_SUCCESS;
}
