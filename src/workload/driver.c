/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a workload as workload.h tells it. Its records are drain.c's. */
#include "workload/driver.h"
#include "log.h"
#include "workload/clock.h"
#include "workload/ending.h"
#include "workload/futex.h"
#include "workload/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often a wait for processes looks whether they still live. */
#define LOOK_NS (50 * NSEC_PER_MSEC)

static unsigned int processes_wanted(const struct workload *w)
{
	return w->plan.spec.clients + 1;
}

static struct workload *workload_alloc(const struct plan *plan)
{
	struct workload *w =
		calloc(1, sizeof(*w) + (plan->spec.clients + 1) * sizeof(struct process));

	if (w)
		w->plan = *plan;
	return w;
}

static int workload_prepare(struct workload *w)
{
	int err = directory_make(&w->directory, &w->plan.identity);

	if (err)
		return err;
	w->shared = shared_new(&w->plan.spec);
	if (w->shared)
		return 0;
	err = -errno;
	log_error("cannot get shared memory: for %u clients: %s: use fewer --clients",
		  w->plan.spec.clients, strerror(-err));
	return err;
}

struct workload *workload__new(const struct workload_spec *spec)
{
	struct workload *w = NULL;
	struct plan plan;
	int err = plan_make(&plan, spec);

	if (!err) {
		w = workload_alloc(&plan);
		err = w ? workload_prepare(w) : -ENOMEM;
	}
	if (err) {
		workload__free(w);
		errno = -err;
		return NULL;
	}
	return w;
}

/* 0 or the -errno of the first process that failed, which is logged once. */
static int failure_log(struct workload *w)
{
	int err = shared_failed(w->shared);

	if (err && !w->failure_logged) {
		log_error("%s", w->shared->failure_text);
		w->failure_logged = true;
	}
	return -err;
}

/* Until *word is `value` or more, or a process has failed or died. */
static int processes_await(struct workload *w, _Atomic uint32_t *word, uint32_t value)
{
	unsigned int living = w->forked;
	uint32_t seen;

	while ((seen = atomic_load(word)) < value) {
		int err;

		if (futex_wait(word, seen, LOOK_NS) == -ETIMEDOUT)
			living = ending_reap(w);
		err = failure_log(w);
		if (err)
			return err;
		if (living < w->forked) {
			log_error("cannot start the workload: %u of %u processes: killed before "
				  "they were ready: see the kernel log, or use fewer --clients",
				  w->forked - living, w->forked);
			return -ECHILD;
		}
	}
	return 0;
}

static int process_fork(struct workload *w, unsigned int i)
{
	struct worker worker = {
		.plan = &w->plan,
		.directory = w->directory.path,
		.shared = w->shared,
		.process = i,
		.parent = getpid(),
	};
	pid_t pid = fork();

	if (pid == 0)
		worker_run(&worker);
	if (pid < 0) {
		int err = -errno;

		log_error("cannot fork: process %u of %u: %s: use fewer --clients, or allow more "
			  "processes (ulimit -u)",
			  i + 1, processes_wanted(w), strerror(-err));
		return err;
	}
	w->processes[i] = (struct process){.pid = pid, .alive = true};
	w->forked = i + 1;
	return 0;
}

int workload__spawn(struct workload *w)
{
	int err = 0;

	for (unsigned int i = 0; i < processes_wanted(w) && !err; i++)
		err = process_fork(w, i);
	if (!err)
		err = processes_await(w, &w->shared->ready, processes_wanted(w));
	if (err)
		ending_force(w);
	return err;
}

pid_t workload__pid(const struct workload *w, unsigned int i)
{
	return i < w->forked ? w->processes[i].pid : 0;
}

int workload__start(struct workload *w)
{
	shared_gate_raise(w->shared, GATE_OPEN);
	return processes_await(w, &w->shared->gate, GATE_SERVED);
}

bool workload__running(struct workload *w)
{
	unsigned int living = ending_reap(w);

	failure_log(w);
	ending_press(w);
	return living > 0;
}

uint64_t workload__rounds(const struct workload *w)
{
	return journal_count(&w->shared->slots[0].journal);
}

void workload__stop(struct workload *w)
{
	shared_stop(w->shared);
}

void workload__free(struct workload *w)
{
	if (!w)
		return;
	ending_force(w);
	directory_remove(&w->directory);
	shared_free(w->shared);
	free(w);
}
