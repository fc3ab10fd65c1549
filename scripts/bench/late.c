/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How late real-time threads are at most: one thread of SCHED_RR 98 on each CPU wakes every 200 us.
 *
 *	late MILLISECONDS
 *
 * Prints a line for each CPU: its number, and the largest lateness there, in microseconds.
 */
#include "common.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#define PERIOD_NS    200000
#define PRIORITY     98
#define CPUS_MAX     1024

static uint64_t end_ns;

static void become_real_time(int cpu)
{
	struct sched_param param = {.sched_priority = PRIORITY};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_RR, &param))
		die("SCHED_RR");
}

/* The largest lateness. An instant that has passed already is not waited for. */
static void *watch(void *cpu)
{
	uint64_t due_ns, late_ns, most_ns = 0;

	become_real_time((intptr_t)cpu);
	for (due_ns = now_ns() + PERIOD_NS; due_ns < end_ns; due_ns += PERIOD_NS) {
		struct timespec due = {.tv_sec = due_ns / NSEC_PER_SEC,
				       .tv_nsec = due_ns % NSEC_PER_SEC};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
		late_ns = now_ns() - due_ns;
		if (late_ns > most_ns)
			most_ns = late_ns;
		if (late_ns > PERIOD_NS)
			due_ns += late_ns / PERIOD_NS * PERIOD_NS;
	}
	return (void *)most_ns;
}

int main(int argc, char **argv)
{
	pthread_t thread[CPUS_MAX];
	cpu_set_t allowed;

	if (argc != 2 || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_getaffinity(0, sizeof(allowed), &allowed))
		die("late MILLISECONDS");
	end_ns = now_ns() + atoi(argv[1]) * 1000000ULL;
	for (intptr_t cpu = 0; cpu < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &allowed) &&
		    pthread_create(&thread[cpu], NULL, watch, (void *)cpu))
			die("thread");
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		void *late;

		if (!CPU_ISSET(cpu, &allowed))
			continue;
		pthread_join(thread[cpu], &late);
		printf("%d %.1f\n", cpu, (uint64_t)late / 1e3);
	}
	return 0;
}
