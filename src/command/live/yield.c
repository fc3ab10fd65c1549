/* SPDX-License-Identifier: BSD-2-Clause */
/* Watches whether the reading thread gets a CPU when it must, and sets its right accordingly. */
#include "command/live/yield.h"

#include "command/live/yield/cpu_group.h"
#include "command/live/yield/hurry.h"
#include "command/live/yield/keep_off.h"
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
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AUTOGROUP "/proc/self/autogroup" /* sched(7) */

/* setpriority(2) */
#define NICE_FIRST (-20)

/*
 * RIGHT_LEAST: a CPU only if no other thread wants it. RIGHT_ORDINARY: as before. RIGHT_FIRST:
 * before all threads without real-time priority, so that what must be done is soon over.
 */
enum right { RIGHT_LEAST, RIGHT_ORDINARY, RIGHT_FIRST };

/*
 * How much right the reader has to a CPU: by its policy, its nice value, and the weight of its
 * control group or autogroup.
 */
struct reader_right {
	pid_t tid;
	enum right right;
	int policy; /* of the thread before; so are the next two */
	int nice;
	struct sched_param param;
	char autogroup[8];       /* nice value of the session before; empty: it is not changed */
	struct cpu_group *group; /* NULL: none */
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
static void autogroup_find(struct reader_right *reader)
{
	char line[FILE_LINE_LEN];
	const char *nice;

	if (getsid(0) != getpid() || !read_line("", AUTOGROUP, line, sizeof(line)))
		return;
	nice = strrchr(line, ' ');
	if (nice)
		snprintf(reader->autogroup, sizeof(reader->autogroup), "%.7s", nice + 1);
}

static void autogroup_lower(const struct reader_right *reader, bool lower)
{
	const char *nice = lower ? "19" : reader->autogroup;
	int fd = reader->autogroup[0] ? open(AUTOGROUP, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	if (write(fd, nice, strlen(nice)) < 0)
		log_info("the session of the reader of records keeps its share of the CPUs: %s",
			 strerror(errno));
	close(fd);
}

/* Any thread may call it. What the kernel refuses is left out (logged as info). */
static void reader_right__set(struct reader_right *reader, enum right right)
{
	const struct sched_param none = {0};
	bool idle = right == RIGHT_LEAST;

	if (right == reader->right)
		return;
	reader->right = right;
	if (sched_setscheduler(reader->tid, idle ? SCHED_IDLE : reader->policy,
			       idle ? &none : &reader->param) ||
	    setpriority(PRIO_PROCESS, reader->tid,
			right == RIGHT_FIRST ? NICE_FIRST : reader->nice))
		log_info("the reader of records keeps its priority: %s", strerror(errno));
	if (!reader->group)
		autogroup_lower(reader, idle);
	else if (!cpu_group__set_idle(reader->group, idle))
		log_info("the control group of the reader of records keeps its weight: %s",
			 strerror(errno));
}

/*
 * The right of the calling thread. It is RIGHT_ORDINARY at first. NULL: no memory, or the thread
 * has another policy already (chrt), or could not come back from SCHED_IDLE.
 */
static struct reader_right *reader_right__new(void)
{
	struct reader_right *reader;
	int policy = sched_getscheduler(0);

	if (!may_idle(policy))
		return NULL;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->tid = gettid();
	reader->right = RIGHT_ORDINARY;
	reader->policy = policy;
	reader->nice = getpriority(PRIO_PROCESS, reader->tid);
	sched_getparam(0, &reader->param);
	return reader;
}

/*
 * By the same thread: gives it a control group of its own, or lets it change the nice value of its
 * autogroup. New threads of a process may not get a real-time priority there. Returns whether it
 * has a group.
 */
static bool reader_right__stand_apart(struct reader_right *reader)
{
	reader->group = cpu_group__join("", reader->tid);
	if (!reader->group)
		autogroup_find(reader);
	return reader->group;
}

/* By the same thread, which has RIGHT_ORDINARY: leaves the group. */
static void reader_right__free(struct reader_right *reader)
{
	if (!reader)
		return;
	cpu_group__leave(reader->group);
	free(reader);
}

/* The ring is looked at so often. The largest one is full after 200 ms of 320 MB/s. */
#define LOOK_NS (50 * NSEC_PER_MSEC)

/* The reader hurries if the ring could be full after this time: it may wait for its CPU, too. */
#define RESERVE_NS (4 * LOOK_NS)

/* The lowest real-time priority: it runs for microseconds, when others of the same class do not. */
#define WATCH_PRIORITY 1

/*
 * Only the watching thread lowers the reader's right: a reader that lost its CPU while it holds the
 * lock would keep the watching thread from raising it again. Lending the priority (PI) does not
 * work, as a control group may have no real-time share.
 */
struct yield {
	struct reader_spec spec;
	pid_t reader; /* the thread */
	cpu_set_t cpus;
	bool has_cpus;              /* `cpus` is what the reader may use without the spec */
	struct reader_right *right; /* NULL: it does not yield, and the fields below are not used */
	pthread_t watcher;

	_Atomic uint64_t due_ns;
	atomic_bool is_first; /* as adjust_right() has set it */

	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t changed;
	const struct tracer *tracer; /* NULL: none yet */
	bool is_paused;
	bool is_finished; /* no record can be lost any more */
	bool is_over;
	bool hurries;
	uint64_t hurries_since_ns;
	uint64_t hurried_ns;
	struct ring_look before;
	struct keep_off keep_off;
	bool keep_off_asked; /* by the reader */
	struct cpu_use targets_use;
};

/* With the lock. */
static void adjust_right(struct yield *yield)
{
	enum right right = yield->hurries ? RIGHT_FIRST : RIGHT_LEAST;

	if (yield->is_paused || (yield->hurries && yield->is_finished))
		right = RIGHT_ORDINARY;
	yield->is_first = right == RIGHT_FIRST;
	reader_right__set(yield->right, right);
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

/*
 * With the lock. The watching thread, not the reader, takes CPUs away: a reader that moved itself
 * might lose its CPU while it holds the lock. To be given CPUs back moves it nowhere.
 */
static void look_where(struct yield *yield)
{
	if (yield->hurries)
		yield->keep_off_asked |= yield->keep_off.is_on; /* again after the hurry */
	if (yield->hurries || yield->is_paused) {
		keep_off_end(&yield->keep_off);
		return;
	}
	if (yield->keep_off_asked)
		keep_off_begin(&yield->keep_off, &yield->targets_use);
	yield->keep_off_asked = false;
	keep_off_sample(&yield->keep_off);
}

/* With the lock. */
static void look(struct yield *yield)
{
	struct ring_look now = {.at_ns = clock_now_ns()};
	struct ring_gauge ring;
	bool needs = false;

	if (yield->tracer) {
		ring = tracer__gauge(yield->tracer);
		ring_gauge_look(&ring, &now.read, &now.written);
		now.size = ring.size;
		needs = ring_needs_reader(&yield->before, &now, yield->hurries, RESERVE_NS);
		yield->before = now;
	}
	hurry(yield, needs || now.at_ns >= yield->due_ns, now.at_ns);
	look_where(yield);
}

static uint64_t next_look_ns(const struct yield *yield)
{
	uint64_t now_ns = clock_now_ns(), next_ns = now_ns + LOOK_NS, due_ns = yield->due_ns;

	return due_ns > now_ns && due_ns < next_ns ? due_ns : next_ns;
}

static void *yield_watch(void *ctx)
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

static int start_watching(struct yield *yield)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int err;

	pthread_mutex_init(&yield->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&yield->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Signals are for the reader: they interrupt its sleep. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&yield->watcher, NULL, yield_watch, yield);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* A pause begins at once. After it, the watching thread decides. */
static void set_paused(struct yield *yield, bool is_paused)
{
	pthread_mutex_lock(&yield->lock);
	yield->is_paused = is_paused;
	if (is_paused) {
		adjust_right(yield);
		keep_off_end(&yield->keep_off);
	} else {
		pthread_cond_signal(&yield->changed);
	}
	pthread_mutex_unlock(&yield->lock);
}

/* Failures leave the reader as it is (logged as info). */
static void begin_idle(struct yield *yield, bool alone)
{
	bool has_group;
	int err;

	yield->right = reader_right__new();
	if (!yield->right)
		return;
	/* Before it stands apart, where the watching thread might not get its priority. */
	yield->is_paused = true;
	err = start_watching(yield);
	if (err) {
		log_info("the reader of records keeps its priority: no thread to watch it: %s",
			 strerror(err));
		reader_right__free(yield->right);
		yield->right = NULL;
		return;
	}
	has_group = alone && reader_right__stand_apart(yield->right);
	set_paused(yield, false);
	log_info("the reader of records yields: SCHED_IDLE%s",
		 has_group ? ", in a control group of its own" : "");
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
	if (yield->right)
		set_paused(yield, ordinary);
}

struct yield *yield__begin(const struct reader_spec *spec, bool alone, uint64_t within_ns)
{
	struct yield *yield = calloc(1, sizeof(*yield));

	if (!yield)
		return NULL;
	yield->spec = *spec;
	yield->reader = gettid();
	keep_off_init(&yield->keep_off);
	yield->due_ns = clock_now_ns() + within_ns;
	yield->has_cpus = !sched_getaffinity(0, sizeof(yield->cpus), &yield->cpus);
	if (spec->policy == READER_IDLE)
		begin_idle(yield, alone);
	else
		set_ordinary(yield, false);
	return yield;
}

void yield__due(struct yield *yield, uint64_t within_ns)
{
	if (!yield || !yield->right)
		return;
	yield->due_ns = clock_now_ns() + within_ns;
	/* Without the lock, the signal may come too early: then it is noticed at the next look. */
	if (within_ns < LOOK_NS)
		pthread_cond_signal(&yield->changed);
}

void yield__finish(struct yield *yield)
{
	if (!yield || !yield->right)
		return;
	pthread_mutex_lock(&yield->lock);
	yield->tracer = NULL;
	yield->is_finished = true;
	pthread_mutex_unlock(&yield->lock);
}

enum reader_policy yield__policy(const struct yield *yield)
{
	if (!yield || (yield->spec.policy == READER_IDLE && !yield->right))
		return READER_OTHER;
	return yield->spec.policy;
}

void yield__watch(struct yield *yield, const struct tracer *tracer)
{
	if (!yield || !yield->right)
		return;
	pthread_mutex_lock(&yield->lock);
	yield->tracer = tracer;
	pthread_mutex_unlock(&yield->lock);
}

void yield__keep_off(struct yield *yield, const pid_t *pid, size_t cnt)
{
	if (!yield || !yield->right)
		return;
	/* Without the lock: the watching thread reads it only when it is asked. */
	yield->targets_use = (struct cpu_use){};
	for (size_t i = 0; i < cnt; i++)
		cpu_use_add(&yield->targets_use, "", pid[i]);
	pthread_mutex_lock(&yield->lock);
	yield->keep_off_asked = true;
	pthread_cond_signal(&yield->changed);
	pthread_mutex_unlock(&yield->lock);
}

void yield__come_back(struct yield *yield)
{
	struct keep_off kept_off;

	if (!yield || !yield->right)
		return;
	pthread_mutex_lock(&yield->lock);
	yield->keep_off_asked = false;
	keep_off_end(&yield->keep_off);
	kept_off = yield->keep_off;
	yield->keep_off.was_on = false;
	pthread_mutex_unlock(&yield->lock);
	if (kept_off.was_on)
		log_info("the reader of records has kept off the CPUs of the targets%s",
			 kept_off.had_to_wait ? ", until it had to wait for the others" : "");
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

bool yield__is_first(const struct yield *yield)
{
	return yield && yield->is_first;
}

uint64_t yield__hurried_ns(struct yield *yield)
{
	uint64_t ns;

	if (!yield || !yield->right)
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
	if (yield->right)
		stop_watching(yield);
	reader_right__free(yield->right);
	free(yield);
}
