// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receives requests in one thread, and works on them in another one.
 *
 *	hands_over WAY WORK PATH
 *
 * WAY is how the work goes to the worker: condition (the worker answers), eventfd, pipe or
 * socketpair (the worker gives its result back in the same way), rearm, park or result. With rearm
 * the receiver watches the connection and an eventfd that is always readable, and the worker wakes
 * it by rearming the eventfd with epoll_ctl(), as Boost.Asio does. With park and result a third
 * thread watches the connection, and wakes the one that receives. That one sleeps until the worker
 * wakes it: in the same place (park), or in another one (result). WORK is spin, sleep or lock.
 * Serves one connection to the unix socket PATH. Then it prints a line for each request: whether
 * the hand-over woke the worker, how many ns the work took, and for how many of them the worker
 * slept.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS  500000
#define SLEEP_NS 3000000
#define LOCK_NS  2000000

static const char *way, *work;
static int connection;
static int there[2], back[2]; /* where to read, where to write */
static bool rearms;           /* WAY */
static int poller;            /* of the receiver, for rearm */

/* Where a thread sleeps until it is given work. */
struct seat {
	pthread_mutex_t mutex; /* of `is_given` */
	pthread_cond_t given;
	bool is_given;
};

static struct seat worker = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
static struct seat receiver = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
static struct seat result = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* what WORK `lock` waits for */

struct request {
	bool woke_worker;
	uint64_t work_ns;
	uint64_t asleep_ns;
};

#define REQUESTS_MAX 1000

static struct request requests[REQUESTS_MAX];
static size_t request_cnt;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

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

/* How long this thread has run, and waited for a CPU: fs/proc/base.c, proc_pid_schedstat(). */
static uint64_t awake_ns(void)
{
	unsigned long long waited_ns;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file || fscanf(file, "%*u %llu", &waited_ns) != 1)
		die("cannot read how long a thread has waited for a CPU");
	fclose(file);
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) + waited_ns;
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = {.tv_nsec = ns};

	nanosleep(&time, NULL);
}

static void connect_threads(int ends[2])
{
	if (rearms || !strcmp(way, "eventfd"))
		ends[0] = ends[1] = eventfd(0, 0);
	else if (!strcmp(way, "pipe") ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		die("cannot connect the threads");
}

static void give(const int ends[2])
{
	uint64_t one = 1;

	if (write(ends[1], &one, sizeof(one)) != sizeof(one))
		die("cannot hand over");
}

static void take(const int ends[2])
{
	uint64_t one;

	if (read(ends[0], &one, sizeof(one)) != sizeof(one))
		die("cannot take over");
}

/* Has the lock most of the time. */
static void *hold(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		sleep_ns(LOCK_NS);
		pthread_mutex_unlock(&lock);
		sleep_ns(LOCK_NS / 10);
	}
	return unused;
}

static void do_work(bool is_woken)
{
	uint64_t awake_before_ns = awake_ns(), begin_ns = now_ns(), took_ns;

	if (request_cnt == REQUESTS_MAX) {
		errno = ENOSPC;
		die("cannot note a request");
	}
	if (!strcmp(work, "sleep")) {
		sleep_ns(SLEEP_NS);
	} else if (!strcmp(work, "lock")) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	} else {
		while (now_ns() < begin_ns + SPIN_NS)
			;
	}
	took_ns = now_ns() - begin_ns;
	requests[request_cnt++] = (struct request){
		is_woken, took_ns, took_ns - MIN(took_ns, awake_ns() - awake_before_ns)};
}

static void answer(void)
{
	if (write(connection, "answer", 6) != 6)
		die("cannot answer");
}

/* Whether the thread slept until the hand-over. */
static bool sit(struct seat *seat)
{
	bool sleeps;

	pthread_mutex_lock(&seat->mutex);
	sleeps = !seat->is_given;
	while (!seat->is_given)
		pthread_cond_wait(&seat->given, &seat->mutex);
	seat->is_given = false;
	pthread_mutex_unlock(&seat->mutex);
	return sleeps;
}

static void wake(struct seat *seat)
{
	pthread_mutex_lock(&seat->mutex);
	seat->is_given = true;
	pthread_mutex_unlock(&seat->mutex);
	pthread_cond_signal(&seat->given);
}

/* Where the receiver waits for the worker; NULL: it does not sleep in a futex. */
static struct seat *seat_of_result(void)
{
	if (!strcmp(way, "park"))
		return &receiver;
	return strcmp(way, "result") ? NULL : &result;
}

static void change(int operation, int fd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};

	if (epoll_ctl(poller, operation, fd, &event))
		die("cannot watch a descriptor");
}

static void wait_until_ready(int fd)
{
	struct epoll_event event;

	do {
		if (epoll_wait(poller, &event, 1, -1) != 1)
			die("cannot wait");
	} while (event.data.fd != fd);
}

/* What is there to be read is never read: only the change counts. */
static void watch_for_rearm(void)
{
	poller = epoll_create1(0);
	if (poller < 0)
		die("cannot watch");
	give(back);
	change(EPOLL_CTL_ADD, back[0]);
	change(EPOLL_CTL_ADD, connection);
	wait_until_ready(back[0]);
}

static void *serve(void *unused)
{
	bool answers = !strcmp(way, "condition"), is_woken = true;

	for (;;) {
		if (answers || seat_of_result() || rearms)
			is_woken = sit(&worker);
		else
			take(there);
		do_work(is_woken);
		if (answers)
			answer();
		else if (seat_of_result())
			wake(seat_of_result());
		else if (rearms)
			change(EPOLL_CTL_MOD, back[0]);
		else
			give(back);
	}
	return unused;
}

static void hand_over(void)
{
	if (!strcmp(way, "condition")) {
		wake(&worker);
	} else if (seat_of_result()) {
		wake(&worker);
		sit(seat_of_result());
		answer();
	} else if (rearms) {
		wake(&worker);
		wait_until_ready(back[0]);
		answer();
	} else {
		give(there);
		take(back);
		answer();
	}
}

/* Wakes the receiver for each request, and at the end of the connection. */
static void *watch(void *unused)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int watcher = epoll_create1(0);

	if (watcher < 0 || epoll_ctl(watcher, EPOLL_CTL_ADD, connection, &event))
		die("cannot watch the connection");
	while (epoll_wait(watcher, &event, 1, -1) > 0)
		wake(&receiver);
	return unused;
}

static bool receive(void)
{
	char request[64];

	if (seat_of_result())
		sit(&receiver);
	if (rearms)
		wait_until_ready(connection);
	return read(connection, request, sizeof(request)) > 0;
}

static void listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (bind(listener, (void *)&address, sizeof(address)) || listen(listener, 1))
		die("cannot listen");
	puts("ready");
	fflush(stdout);
	connection = accept(listener, NULL, NULL);
	if (connection < 0)
		die("cannot accept");
}

/* The thread has its name before the program is ready to be traced. */
static void start(void *serve(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve, NULL) || pthread_setname_np(thread, name))
		die("cannot start a thread");
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	way = argv[1];
	rearms = !strcmp(way, "rearm");
	work = argv[2];
	connect_threads(there);
	connect_threads(back);
	start(serve, "worker");
	if (!strcmp(work, "lock"))
		start(hold, "holder");
	listen_at(argv[3]);
	if (seat_of_result())
		start(watch, "watcher");
	if (rearms)
		watch_for_rearm();
	while (receive())
		hand_over();
	for (size_t i = 0; i < request_cnt; i++)
		printf("%d %llu %llu\n", requests[i].woke_worker,
		       (unsigned long long)requests[i].work_ns,
		       (unsigned long long)requests[i].asleep_ns);
	return 0;
}
