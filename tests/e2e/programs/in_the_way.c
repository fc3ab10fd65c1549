// SPDX-License-Identifier: BSD-2-Clause
/*
 * A server thread and a client thread exchange messages, and functions with telling names delay the
 * server.
 *
 *	in_the_way lock COUNT EVERY	of every EVERY requests, one waits for a lock that another
 *					thread holds for DELAY_NS
 *	in_the_way hog COUNT EVERY	a thread with a higher priority takes the CPU for DELAY_NS
 *					as the request comes
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef DELAY_NS
#define DELAY_NS 3000000
#endif
#define PRIORITY 5 /* other programs are not in the way */
#define APART    __attribute__((noinline, noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t held;  /* the lock is, or the CPU will be */
static sem_t begun; /* a request is about to be sent */
static int end[2];  /* the server has the first one */
static unsigned int requests, every;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static APART void take_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static APART void handle_request(void)
{
	char answer = 'a';

	take_lock();
	if (write(end[0], &answer, 1) != 1)
		die("write");
}

static void *serve(void *nothing)
{
	char request;

	while (read(end[0], &request, 1) == 1)
		handle_request();
	return nothing;
}

static APART void hold_lock(void)
{
	struct timespec delay = {.tv_nsec = DELAY_NS};

	pthread_mutex_lock(&lock);
	sem_post(&held);
	nanosleep(&delay, NULL);
	pthread_mutex_unlock(&lock);
}

static volatile unsigned int turns;

static APART void spin_in_the_way(void)
{
	uint64_t until_ns = now_ns() + DELAY_NS;

	while (now_ns() < until_ns) {
		for (unsigned int i = 0; i < 1000; i++)
			turns++;
	}
}

static APART void take_cpu(void)
{
	sem_post(&held);
	spin_in_the_way();
}

static void *delay(void *function)
{
	void (*act)(void) = function;

	for (unsigned int i = 0; i < requests; i += every) {
		sem_wait(&begun);
		act();
	}
	return NULL;
}

static pthread_t start(void *(*function)(void *), void *ctx, int priority, int cpu)
{
	struct sched_param param = {.sched_priority = priority};
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t cpus;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	if (pthread_create(&thread, &attr, function, ctx))
		die("pthread_create");
	return thread;
}

static APART void ask(bool is_delayed)
{
	struct timespec pause = {.tv_nsec = 2000000};
	char letter = 'r';

	if (is_delayed) {
		sem_post(&begun);
		sem_wait(&held);
	}
	if (write(end[1], &letter, 1) != 1 || read(end[1], &letter, 1) != 1)
		die("ask");
	nanosleep(&pause, NULL);
}

/* The client, this thread, has a CPU of its own, if there is one. Returns the server's. */
static int choose_cpus(void)
{
	struct sched_param param = {.sched_priority = PRIORITY};
	cpu_set_t all, first;
	int client = 0, server;

	if (sched_getaffinity(0, sizeof(all), &all))
		die("sched_getaffinity");
	while (!CPU_ISSET(client, &all))
		client++;
	server = CPU_SETSIZE - 1;
	while (!CPU_ISSET(server, &all))
		server--;
	CPU_ZERO(&first);
	CPU_SET(client, &first);
	if (sched_setaffinity(0, sizeof(first), &first) ||
	    sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	return server;
}

int main(int argc, char **argv)
{
	pthread_t server, other;
	bool is_hog;
	int cpu;

	if (argc != 4)
		return 2;
	is_hog = !strcmp(argv[1], "hog");
	requests = atoi(argv[2]);
	every = atoi(argv[3]);
	cpu = choose_cpus();
	sem_init(&held, 0, 0);
	sem_init(&begun, 0, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
		die("socketpair");
	server = start(serve, NULL, PRIORITY, cpu);
	other = is_hog ? start(delay, take_cpu, PRIORITY + 1, cpu)
		       : start(delay, hold_lock, PRIORITY, cpu);
	for (unsigned int i = 0; i < requests; i++)
		ask(i % every == 0);
	pthread_join(other, NULL);
	shutdown(end[1], SHUT_RDWR);
	pthread_join(server, NULL);
	return 0;
}
