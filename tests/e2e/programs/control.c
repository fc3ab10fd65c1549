// SPDX-License-Identifier: BSD-2-Clause
/*
 * Notes when a CPU is taken from all threads up to a priority, by interrupts, by the host of a
 * virtual machine or by other threads: on each CPU, a thread of SCHED_FIFO wakes up again and
 * again, and is late then.
 *
 * 	control PRIORITY PERIOD_NS LATE_NS
 *
 * On SIGTERM it prints one "BEGIN END" a line for each theft that made a thread late by LATE_NS or
 * more, in nanoseconds of CLOCK_MONOTONIC: the theft lies between these. The lines of a CPU are in
 * order.
 */
#include "log.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>

#define THEFTS_MAX 100000

struct watch {
	pthread_t thread;
	int cpu;
	size_t cnt;
	uint64_t (*thefts)[2];
};

static uint64_t period_ns, late_ns;
static int priority;
static volatile bool over;

static void theft_add(struct watch *watch, uint64_t begin_ns, uint64_t end_ns)
{
	if (watch->cnt == THEFTS_MAX)
		die("too many thefts");
	watch->thefts[watch->cnt][0] = begin_ns;
	watch->thefts[watch->cnt++][1] = end_ns;
}

static void *watch_cpu(void *data)
{
	struct watch *watch = data;
	uint64_t last_ns = now_ns();

	while (!over) {
		uint64_t due_ns = last_ns + period_ns, at_ns;

		sleep_until(due_ns);
		at_ns = now_ns();
		if (at_ns >= due_ns + late_ns)
			theft_add(watch, last_ns, at_ns);
		last_ns = at_ns;
	}
	return NULL;
}

static void watch_begin(struct watch *watch)
{
	struct sched_param param = {.sched_priority = priority};
	pthread_attr_t attributes;
	cpu_set_t cpus;

	watch->thefts = calloc(THEFTS_MAX, sizeof(*watch->thefts));
	if (!watch->thefts)
		die("cannot keep the thefts");
	CPU_ZERO(&cpus);
	CPU_SET(watch->cpu, &cpus);
	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
	pthread_attr_setschedparam(&attributes, &param);
	pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	errno = pthread_create(&watch->thread, &attributes, watch_cpu, watch);
	if (errno)
		die("cannot watch a CPU");
}

static void watch_end(struct watch *watch)
{
	pthread_join(watch->thread, NULL);
	for (size_t i = 0; i < watch->cnt; i++)
		printf("%llu %llu\n", (unsigned long long)watch->thefts[i][0],
		       (unsigned long long)watch->thefts[i][1]);
}

int main(int argc, char **argv)
{
	static struct watch watches[CPU_SETSIZE];
	sigset_t ends;
	cpu_set_t cpus;
	int cnt = 0, signal;

	if (argc != 4)
		die("usage: control PRIORITY PERIOD_NS LATE_NS");
	priority = atoi(argv[1]);
	period_ns = strtoull(argv[2], NULL, 10);
	late_ns = strtoull(argv[3], NULL, 10);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_getaffinity(0, sizeof(cpus), &cpus))
		die("cannot set up");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &cpus)) {
			watches[cnt].cpu = cpu;
			watch_begin(&watches[cnt++]);
		}
	}
	ready();
	sigwait(&ends, &signal);
	over = true;
	for (int i = 0; i < cnt; i++)
		watch_end(&watches[i]);
	return EXIT_SUCCESS;
}
