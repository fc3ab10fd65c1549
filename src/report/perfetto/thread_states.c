/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the last state of each thread in a hash table. Nothing is written of a stretch that
 * continues the one before it:
 *
 *	stretches   | running | running |  asleep |    (gap)    | runnable |
 *	written     running             asleep    no state      runnable
 */
#include "report/perfetto/thread_states.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct thread {
	uint32_t tid;
	enum task_state state; /* TASK_UNKNOWN: none was written, or it is not known */
	uint32_t cpu;          /* where it ran last */
	uint64_t end_ns;       /* the state is known until then */
	char comm[RECORD_COMM_LEN];
	UT_hash_handle hh;
};

struct thread_states {
	struct thread *first; /* the oldest one */
};

struct thread_states *thread_states__new(void)
{
	return calloc(1, sizeof(struct thread_states));
}

static void drop_first(struct thread_states *states)
{
	struct thread *thread = states->first;

	HASH_DEL(states->first, thread);
	free(thread);
}

void thread_states__free(struct thread_states *states)
{
	while (states && states->first)
		drop_first(states);
	free(states);
}

static void put(struct scene *scene, uint32_t tid, uint64_t at_ns, enum task_state state,
		uint32_t cpu)
{
	const struct task_change change = {.tid = tid, .at_ns = at_ns, .state = state, .cpu = cpu};

	packets__change(scene->packets, &change);
}

/* Ends the state. First the thread leaves the CPU on which it runs. */
static void forget(struct scene *scene, struct thread *thread, uint64_t at_ns)
{
	if (thread->state == TASK_RUNNING)
		put(scene, thread->tid, at_ns, TASK_RUNNABLE, thread->cpu);
	if (thread->state) {
		put(scene, thread->tid, at_ns, TASK_RUNNING, CPU_OF_UNKNOWN_STATES);
		put(scene, 0, at_ns, TASK_RUNNING, CPU_OF_UNKNOWN_STATES);
	}
	thread->state = TASK_UNKNOWN;
}

static void end_first(struct thread_states *states, struct scene *scene)
{
	forget(scene, states->first, states->first->end_ns);
	drop_first(states);
}

void thread_states__end_run(struct thread_states *states, struct scene *scene)
{
	while (states->first)
		end_first(states, scene);
}

/* NULL: out of memory. */
static struct thread *find(struct thread_states *states, struct scene *scene, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, states->first, &tid, sizeof(tid), thread);
	if (thread)
		return thread;
	if (HASH_COUNT(states->first) >= STATES_MAX)
		end_first(states, scene);
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		packets__fail(scene->packets);
		return NULL;
	}
	thread->tid = tid;
	HASH_ADD(hh, states->first, tid, sizeof(tid), thread);
	return thread;
}

static enum task_state state_of(uint16_t cost)
{
	switch (cost) {
	case COST_ON_CPU:
		return TASK_RUNNING;
	case COMPONENT_RUNQUEUE:
		return TASK_RUNNABLE;
	case COST_STOPPED:
		return TASK_STOPPED;
	case COMPONENT_BLOCKED:
		return TASK_ASLEEP;
	default:
		return TASK_UNKNOWN;
	}
}

static void lose(struct scene *scene, const struct thread_moments *moments,
		 const struct moment *moment)
{
	struct event event = {.name = "what a thread did"};

	event_note_thread(&event, &moments->thread);
	scene_lost(scene, moment->from_ns, moment->to_ns, &event);
}

/* The name comes with the first state, and with one after it has changed. */
static const char *new_name(struct thread *thread, const struct thread_moments *moments)
{
	if (!strcmp(thread->comm, moments->thread.comm))
		return NULL;
	memcpy(thread->comm, moments->thread.comm, sizeof(thread->comm));
	return thread->comm;
}

static void begin(struct scene *scene, struct thread *thread, const struct thread_moments *moments,
		  const struct moment *moment)
{
	enum task_state state = state_of(moment->cost);
	bool runs = state == TASK_RUNNING, ran = thread->state == TASK_RUNNING;
	struct task_change change = {.tid = thread->tid,
				     .at_ns = moment->from_ns,
				     .state = state,
				     .cpu = runs ? moment->cpu : thread->cpu,
				     .priority = moments->priority};

	if (thread->state == state && thread->cpu == change.cpu)
		return;
	/* It has left one CPU for another. Readers refuse a thread that begins to run twice. */
	if (runs && ran)
		put(scene, thread->tid, moment->from_ns, TASK_RUNNABLE, thread->cpu);
	change.comm = new_name(thread, moments);
	packets__change(scene->packets, &change);
	thread->state = state;
	thread->cpu = change.cpu;
}

static bool is_known(const struct moment *moment)
{
	enum task_state state = state_of(moment->cost);

	return state == TASK_RUNNING ? moment->cpu < CPU_OF_UNKNOWN_STATES : state;
}

void thread_states__moments(struct thread_states *states, struct scene *scene,
			    const struct thread_moments *moments)
{
	struct thread *thread = find(states, scene, moments->thread.tid);

	if (!thread)
		return;
	for (uint32_t i = 0; i < moments->cnt; i++) {
		const struct moment *moment = &moments->moment[i];

		if (thread->end_ns != moment->from_ns)
			forget(scene, thread, thread->end_ns);
		thread->end_ns = moment->to_ns;
		if (is_known(moment)) {
			begin(scene, thread, moments, moment);
			continue;
		}
		forget(scene, thread, moment->from_ns);
		lose(scene, moments, moment);
	}
}
