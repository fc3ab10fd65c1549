/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes the priority of the reading thread, and watches whether that thread gets a CPU. */
#include "command/yield/yield.h"

#include "command/yield/cpu_group.h"
#include "command/yield/hurry.h"
#include "tracer/tracer.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The ring is looked at so often. The largest one is full after 200 ms of 320 MB/s. */
#define LOOK_NS (50 * NSEC_PER_MSEC)

/* The reader hurries if the ring could be full after this time: it may wait for its CPU, too. */
#define RESERVE_NS (4 * LOOK_NS)

#define AUTOGROUP  "/proc/self/autogroup" /* sched(7) */

/* setpriority(2) */
#define NICE_FIRST (-20)

/* The lowest real-time priority: it runs for microseconds, when others of the same class do not. */
#define WATCH_PRIORITY 1

/* To a CPU. */
enum right { RIGHT_LEAST, RIGHT_ORDINARY, RIGHT_FIRST };

/*
 * Only the watching thread lowers the reader's right: a reader that lost its CPU while it holds the
 * lock would keep the watching thread from raising it again. Lending the priority (PI) does not
 * work, as a control group may have no real-time share.
 */
struct yield {
	struct reader_spec spec;
	pid_t reader; /* the thread */
	int policy;   /* of the reader, before it yields; the next two as well */
	int nice;
	struct sched_param param;
	cpu_set_t cpus;
	char autogroup[8]; /* nice value of the session before it yields; empty: it is not changed
			    */
	bool has_cpus;     /* `cpus` is what the reader may use without the spec */
	struct cpu_group *group; /* NULL: none */
	bool is_watched;         /* the reader yields; else the fields below are not used */
	pthread_t watcher;

	_Atomic uint64_t due_ns;

	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t changed;
	const struct tracer *tracer; /* NULL: none yet */
	enum right right;
	bool is_paused;
	bool is_finished; /* no record can be lost any more */
	bool is_over;
	bool hurries;
	uint64_t hurries_since_ns;
	uint64_t hurried_ns;
	struct ring_look before;
};

/*
 * A reader with a policy of its own choice keeps it (chrt), and so does one that could not change
 * back, see sched_setscheduler(2).
 */
static bool may_idle(int policy)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};

	return (policy == SCHED_OTHER || policy == SCHED_BATCH) &&
	       !syscall(SYS_capget, &header, sets) && sets[0].effective & 1U << CAP_SYS_NICE;
}

/*
 * The first process of a session has its autogroup for itself, mostly, and can set its nice value.
 * Others of the same session would be slowed down with it. The file has "/autogroup-25 nice 0".
 */
static void autogroup_find(struct yield *yield)
{
	char line[FILE_LINE_LEN];
	const char *nice;

	if (getsid(0) != getpid() || !read_line("", AUTOGROUP, line, sizeof(line)))
		return;
	nice = strrchr(line, ' ');
	if (nice)
		snprintf(yield->autogroup, sizeof(yield->autogroup), "%.7s", nice + 1);
}

static void autogroup_lower(const struct yield *yield, bool lower)
{
	const char *nice = lower ? "19" : yield->autogroup;
	int fd = yield->autogroup[0] ? open(AUTOGROUP, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	if (write(fd, nice, strlen(nice)) < 0)
		log_info("the session of the reader of records keeps its share of the CPUs: %s",
			 strerror(errno));
	close(fd);
}

/* A reader that hurries comes before other threads of the fair class, so that it is soon over. */
static void set_right(struct yield *yield, enum right right)
{
	const struct sched_param none = {0};
	bool idle = right == RIGHT_LEAST;

	if (sched_setscheduler(yield->reader, idle ? SCHED_IDLE : yield->policy,
			       idle ? &none : &yield->param) ||
	    setpriority(PRIO_PROCESS, yield->reader,
			right == RIGHT_FIRST ? NICE_FIRST : yield->nice))
		log_info("the reader of records keeps its priority: %s", strerror(errno));
	if (!yield->group)
		autogroup_lower(yield, idle);
	else if (!cpu_group__set_idle(yield->group, idle))
		log_info("the control group of the reader of records keeps its weight: %s",
			 strerror(errno));
}

/* With the lock. */
static void adjust_right(struct yield *yield)
{
	enum right right = yield->hurries ? RIGHT_FIRST : RIGHT_LEAST;

	if (yield->is_paused || (yield->hurries && yield->is_finished))
		right = RIGHT_ORDINARY;
	if (right == yield->right)
		return;
	set_right(yield, right);
	yield->right = right;
}

/* With the lock. */
static void hurry(struct yield *yield, bool hurries, uint64_t now_ns)
{
	if (hurries && !yield->hurries)
		yield->hurries_since_ns = now_ns;
	else if (!hurries && yield->hurries)
		yield->hurried_ns += now_ns - yield->hurries_since_ns;
	yield->hurries = hurries;
	adjust_right(yield);
}

/* With the lock. */
static void look(struct yield *yield)
{
	struct ring_look now = {.at_ns = clock_now_ns()};
	bool needs = false;

	if (yield->tracer) {
		tracer__positions(yield->tracer, &now.written, &now.read, &now.size);
		needs = ring_needs_reader(&yield->before, &now, yield->hurries, RESERVE_NS);
		yield->before = now;
	}
	hurry(yield, needs || now.at_ns >= yield->due_ns, now.at_ns);
}

static uint64_t next_look_ns(const struct yield *yield)
{
	uint64_t now_ns = clock_now_ns(), next_ns = now_ns + LOOK_NS, due_ns = yield->due_ns;

	return due_ns > now_ns && due_ns < next_ns ? due_ns : next_ns;
}

static void *watch(void *ctx)
{
	struct yield *yield = ctx;
	const struct sched_param param = {.sched_priority = WATCH_PRIORITY};
	struct timespec next;

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		log_info("the reader of records is watched at normal priority: %s",
			 strerror(errno));
	pthread_mutex_lock(&yield->lock);
	while (!yield->is_over) {
		look(yield);
		next = clock_timespec(next_look_ns(yield));
		pthread_cond_timedwait(&yield->changed, &yield->lock, &next);
	}
	pthread_mutex_unlock(&yield->lock);
	return NULL;
}

static void init_lock(struct yield *yield)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&yield->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&yield->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static int start_watching(struct yield *yield)
{
	sigset_t all, before;
	int err;

	init_lock(yield);
	/* Signals are for the reader: they interrupt its sleep. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&yield->watcher, NULL, watch, yield);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static struct yield *yield_new(const struct reader_spec *spec, uint64_t within_ns)
{
	struct yield *yield = calloc(1, sizeof(*yield));

	if (!yield)
		return NULL;
	yield->spec = *spec;
	yield->reader = gettid();
	yield->policy = sched_getscheduler(0);
	yield->nice = getpriority(PRIO_PROCESS, yield->reader);
	yield->right = RIGHT_ORDINARY;
	yield->due_ns = clock_now_ns() + within_ns;
	sched_getparam(0, &yield->param);
	yield->has_cpus = !sched_getaffinity(0, sizeof(yield->cpus), &yield->cpus);
	return yield;
}

static void resume(struct yield *yield)
{
	pthread_mutex_lock(&yield->lock);
	yield->is_paused = false;
	pthread_cond_signal(&yield->changed);
	pthread_mutex_unlock(&yield->lock);
}

static void pause_now(struct yield *yield)
{
	pthread_mutex_lock(&yield->lock);
	yield->is_paused = true;
	adjust_right(yield);
	pthread_mutex_unlock(&yield->lock);
}

/* Failures leave the reader as it is (logged as info). */
static void begin_idle(struct yield *yield, bool alone)
{
	int err;

	if (!may_idle(yield->policy))
		return;
	/* Before the group, where new threads may not get a real-time priority. */
	yield->is_paused = true;
	err = start_watching(yield);
	if (err) {
		log_info("the reader of records keeps its priority: no thread to watch it: %s",
			 strerror(err));
		return;
	}
	yield->is_watched = true;
	yield->group = alone ? cpu_group__join("", yield->reader) : NULL;
	if (alone && !yield->group)
		autogroup_find(yield);
	resume(yield);
	log_info("the reader of records yields: SCHED_IDLE%s",
		 yield->group ? ", in a control group of its own" : "");
}

/* For children that are forked meanwhile: what the reader has changed about itself. */
static void set_ordinary(struct yield *yield, bool ordinary)
{
	const cpu_set_t *cpus = ordinary ? &yield->cpus : &yield->spec.cpus;

	if (yield->spec.policy == READER_CPUS && yield->has_cpus &&
	    sched_setaffinity(yield->reader, sizeof(*cpus), cpus)) {
		log_warning("the reader of records is not pinned: --reader-policy: %s: it runs on "
			    "any CPU: name CPUs that ipctrace may use, see taskset -pc $$",
			    strerror(errno));
		yield->spec.policy = READER_OTHER;
	}
	if (yield->is_watched && ordinary)
		pause_now(yield);
	else if (yield->is_watched)
		resume(yield);
}

struct yield *yield__begin(const struct reader_spec *spec, bool alone, uint64_t within_ns)
{
	struct yield *yield = yield_new(spec, within_ns);

	if (!yield)
		return NULL;
	if (spec->policy == READER_IDLE)
		begin_idle(yield, alone);
	else
		set_ordinary(yield, false);
	return yield;
}

void yield__due(struct yield *yield, uint64_t within_ns)
{
	if (!yield || !yield->is_watched)
		return;
	yield->due_ns = clock_now_ns() + within_ns;
	/* Without the lock, the signal may come too early: then it is noticed at the next look. */
	if (within_ns < LOOK_NS)
		pthread_cond_signal(&yield->changed);
}

void yield__finish(struct yield *yield)
{
	if (!yield || !yield->is_watched)
		return;
	pthread_mutex_lock(&yield->lock);
	yield->tracer = NULL;
	yield->is_finished = true;
	pthread_mutex_unlock(&yield->lock);
}

enum reader_policy yield__policy(const struct yield *yield)
{
	if (!yield || (yield->spec.policy == READER_IDLE && !yield->is_watched))
		return READER_OTHER;
	return yield->spec.policy;
}

void yield__watch(struct yield *yield, const struct tracer *tracer)
{
	if (!yield || !yield->is_watched)
		return;
	pthread_mutex_lock(&yield->lock);
	yield->tracer = tracer;
	pthread_mutex_unlock(&yield->lock);
}

void yield__pause(struct yield *yield)
{
	if (yield)
		set_ordinary(yield, true);
}

void yield__resume(struct yield *yield)
{
	if (yield)
		set_ordinary(yield, false);
}

uint64_t yield__hurried_ns(struct yield *yield)
{
	uint64_t ns;

	if (!yield || !yield->is_watched)
		return 0;
	pthread_mutex_lock(&yield->lock);
	ns = yield->hurried_ns;
	if (yield->hurries)
		ns += clock_now_ns() - yield->hurries_since_ns;
	pthread_mutex_unlock(&yield->lock);
	return ns;
}

static void stop_watching(struct yield *yield)
{
	pthread_mutex_lock(&yield->lock);
	yield->is_over = true;
	pthread_cond_signal(&yield->changed);
	pthread_mutex_unlock(&yield->lock);
	pthread_join(yield->watcher, NULL);
	pthread_cond_destroy(&yield->changed);
	pthread_mutex_destroy(&yield->lock);
}

void yield__end(struct yield *yield)
{
	if (!yield)
		return;
	set_ordinary(yield, true);
	if (yield->is_watched)
		stop_watching(yield);
	cpu_group__leave(yield->group);
	free(yield);
}
