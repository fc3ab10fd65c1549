/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creates a workload, starts its processes, waits for these processes, and frees the workload.
 * records.c hands out the records of the workload, and reaper.c ends the processes.
 */
#include "util/clock.h"
#include "util/shared_memory.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/rights.h"
#include "workload/member/worker.h"
#include "workload/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A journal holds the records of this time, so that nothing is lost while the driver has no CPU. */
#define CAPACITY_NS (4 * NSEC_PER_SEC)

/* Entries of a journal: at least, at most, and when its writer can wait for the driver. */
#define CAPACITY_MIN     4096ULL
#define CAPACITY_MAX     (1ULL << 20)
#define CAPACITY_WAITING (1ULL << 16)
#define CAPACITY_FLOOR   64ULL

/*
 * Entries of all journals whose writers can wait: one drain is no more than the analysis can join.
 */
#define JOURNALS_ENTRIES_WAITING (1ULL << 19)

/* Limits for all journals, and for all sidecars, together. Many clients get shorter journals. */
#define JOURNALS_SIZE_MAX (256ULL << 20)
#define SIDECARS_SIZE_MAX (64ULL << 20)

static unsigned int processes_wanted(const struct workload *w)
{
	return w->plan.spec.threads ? 2 : w->plan.spec.clients + 1;
}

static struct workload *workload_alloc(const struct plan *plan)
{
	size_t members = plan->spec.clients + 1;
	struct workload *w = calloc(1, sizeof(*w) + members * sizeof(w->members[0]));

	if (!w)
		return NULL;
	w->plan = *plan;
	w->processes = calloc(members, sizeof(*w->processes));
	if (!w->processes) {
		free(w);
		return NULL;
	}
	return w;
}

/* The receiver of a flood records nothing about messages that the kernel carries. */
static bool notes_messages(const struct plan *plan)
{
	return !plan->pattern->oneway || plan->transport->notes_handover;
}

static bool has_serving(const struct plan *plan)
{
	return notes_messages(plan) &&
	       (plan->pattern->to_server || plan->transport->notes_handover);
}

static uint64_t journal_capacity(const struct plan *plan)
{
	const struct workload_spec *spec = &plan->spec;
	uint64_t journals = spec->clients + 1 + (has_serving(plan) ? spec->clients : 0);
	uint64_t least = spec->period_ns ? CAPACITY_MIN : CAPACITY_FLOOR;
	uint64_t wanted = spec->period_ns ? CAPACITY_NS / spec->period_ns : CAPACITY_WAITING;
	uint64_t capacity = CAPACITY_FLOOR;

	if (!notes_messages(plan))
		return CAPACITY_FLOOR;
	if (wanted < CAPACITY_MIN)
		wanted = CAPACITY_MIN;
	if (wanted > plan->rounds)
		wanted = plan->rounds;
	wanted *= plan->notes;
	while (capacity < wanted && capacity < CAPACITY_MAX)
		capacity *= 2;
	while (capacity > least && journals * journal_size(capacity) > JOURNALS_SIZE_MAX)
		capacity /= 2;
	while (!spec->period_ns && capacity > least &&
	       journals * capacity > JOURNALS_ENTRIES_WAITING)
		capacity /= 2;
	return capacity;
}

static uint64_t sidecar_capacity(const struct plan *plan)
{
	uint64_t directions = (uint64_t)plan->spec.clients * NR_DIRECTIONS;
	uint64_t capacity = SIDECAR_MAX;

	if (plan->spec.size >= sizeof(struct message_header) || plan->pattern->oneway)
		return 0;
	while (capacity > SIDECAR_MIN &&
	       directions * capacity * sizeof(struct message_header) > SIDECARS_SIZE_MAX)
		capacity /= 2;
	return capacity;
}

static int shared_prepare(struct workload *w)
{
	struct shared_plan plan = {
		.clients = w->plan.spec.clients,
		.journal = journal_capacity(&w->plan),
		.sidecar = sidecar_capacity(&w->plan),
	};
	char remedy[MEMORY_REMEDY_LEN];
	int err;

	if (has_serving(&w->plan))
		plan.serving = plan.journal;
	w->shared = shared_new(&plan);
	if (w->shared)
		return 0;
	err = -errno;
	log_error("cannot get shared memory: %u clients: %s: use fewer --clients, or %s",
		  plan.clients, strerror(-err), memory_remedy(remedy));
	return err;
}

static int medium_prepare(struct workload *w)
{
	const struct transport_ops *transport = w->plan.transport;
	struct medium_spec spec = {
		.ops = transport,
		.directory = w->directory.path,
		.clients = w->plan.spec.clients,
		.size = w->plan.message_max,
		.reader = w->plan.spec.reader,
		.oneway = w->plan.pattern->oneway,
		.period_ns = w->plan.spec.period_ns,
	};
	int err;

	w->medium = transport->create(&spec);
	if (w->medium)
		return 0;
	err = -errno;
	log_error("cannot prepare the transport: %s for %u clients: %s: use fewer --clients or "
		  "another --transport",
		  transport->name, spec.clients, strerror(-err));
	return err;
}

static int driver_directory_prepare(struct workload *w)
{
	bool was_used = rights_lower();
	int err = directory_make(&w->directory, DIRECTORY_OF_RUN, w->plan.caller);

	rights_restore(was_used);
	if (err)
		log_error("cannot make the private directory: " DIRECTORY_OF_RUN
			  ": %s: see that /tmp exists, can be written and has room",
			  strerror(-err));
	return err;
}

static void directory_forget(struct workload *w)
{
	char path[sizeof(w->directory.path)];
	bool was_used = rights_lower();
	int err;

	memcpy(path, w->directory.path, sizeof(path));
	err = directory_remove(&w->directory);
	rights_restore(was_used);
	if (err)
		log_warning("cannot remove the private directory: '%s': %s: remove it by hand",
			    path, strerror(-err));
}

void workload_tidy(void)
{
	const struct caller *caller = caller_find();
	bool was_used = rights_lower();

	if (caller)
		directories_tidy(caller);
	rights_restore(was_used);
}

struct workload *workload__new(const struct workload_spec *spec)
{
	struct workload *w = NULL;
	struct plan plan;
	int err = plan_make(&plan, spec);

	if (!err) {
		w = workload_alloc(&plan);
		err = w ? driver_directory_prepare(w) : -ENOMEM;
	}
	if (!err)
		err = shared_prepare(w);
	if (!err)
		err = medium_prepare(w);
	if (err) {
		workload__free(w);
		errno = -err;
		return NULL;
	}
	return w;
}

/* 0 or the -errno of the first process that failed. It is logged once. */
static int failure_log(struct workload *w)
{
	int err = shared_failed(w->shared);

	if (err && !w->failure_logged) {
		log_error("%s", w->shared->failure_text);
		w->failure_logged = true;
	}
	return -err;
}

/* Waits until *word is `value` or more. Fails if a process fails or dies. */
static int processes_await(struct workload *w, _Atomic uint32_t *word, uint32_t value)
{
	unsigned int living = w->forked;
	uint32_t seen;

	while ((seen = atomic_load(word)) < value) {
		int err;

		if (futex_wait(word, seen, SHARED_CHECK_NS) == -ETIMEDOUT)
			living = reaper_reap(w);
		err = failure_log(w);
		if (err)
			return err;
		if (living < w->forked) {
			log_error("cannot start the workload: %u of %u processes: they were killed "
				  "before they were ready: see the kernel log, or use fewer "
				  "--clients",
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
		.medium = w->medium,
		.number = i,
		.parent = getpid(),
	};
	pid_t pid = fork();

	if (pid == 0)
		process_run(&worker);
	if (pid < 0) {
		int err = -errno;

		log_error("cannot start the workload: process %u of %u: %s: use fewer --clients, "
			  "or allow more "
			  "processes (ulimit -u)",
			  i + 1, processes_wanted(w), strerror(-err));
		return err;
	}
	w->processes[i] = (struct process){.pid = pid, .alive = true};
	w->forked = i + 1;
	return 0;
}

void workload__share_ring(struct workload *w, const struct ring_gauge *gauge, uint64_t bytes)
{
	const struct pattern *pattern = w->plan.pattern;

	w->plan.ring = *gauge;
	w->plan.ring_bytes = bytes * (uint64_t)(pattern->to_server + pattern->to_clients);
}

int workload__spawn(struct workload *w)
{
	int err = 0;

	for (unsigned int i = 0; i < processes_wanted(w) && !err; i++)
		err = process_fork(w, i);
	if (!err)
		err = processes_await(w, &w->shared->ready, processes_wanted(w));
	if (err)
		reaper_force(w);
	return err;
}

pid_t workload__pid(const struct workload *w, unsigned int i)
{
	return i < w->forked ? w->processes[i].pid : 0;
}

int workload__start(struct workload *w)
{
	word_raise(&w->shared->gate, GATE_OPEN);
	return processes_await(w, &w->shared->joined, w->plan.spec.clients);
}

bool workload__running(struct workload *w)
{
	unsigned int living = reaper_reap(w);

	failure_log(w);
	reaper_press(w);
	return living > 0;
}

bool workload__failed(const struct workload *w)
{
	return w->failure_logged;
}

uint64_t workload__messages_per_round(const struct workload *w)
{
	const struct pattern *pattern = w->plan.pattern;

	return (uint64_t)w->plan.spec.clients * (pattern->to_server + pattern->to_clients);
}

void workload__stop(struct workload *w)
{
	shared_stop(w->shared);
}

void workload__free(struct workload *w)
{
	if (!w)
		return;
	reaper_force(w);
	if (w->medium)
		w->plan.transport->destroy(w->medium);
	directory_forget(w);
	shared_free(w->shared);
	free(w->processes);
	free(w);
}
