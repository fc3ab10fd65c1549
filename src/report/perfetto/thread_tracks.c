/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the tracks of threads, and the last state of each, in hash tables. What threads did is
 * drawn as the viewer's own states, from which it also makes the tracks of CPUs. A state lasts
 * until the next change of the thread: nothing is written of a stretch that continues the one
 * before it, and where nothing is known, one to no state comes.
 *
 *	stretches   | running | running |  asleep |    (gap)    | runnable |
 *	written     running             asleep    no state      runnable
 */
#include "report/perfetto/tracks.h"

#include "report/words/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

/* After so many, the state of the oldest one is forgotten. */
#define STATES_MAX 65536

struct thread {
	uint32_t tid;
	enum task_state state; /* TASK_UNKNOWN: none was written, or it is not known */
	uint32_t cpu;          /* where it ran last */
	uint64_t end_ns;       /* the state is known until then */
	char comm[RECORD_COMM_LEN];
	UT_hash_handle hh;
};

/*
 * What has a track: a thread, or a process (tid 0), or a thread whose process is not known (pid 0).
 */
struct owner {
	uint32_t pid;
	uint32_t tid;
};

struct entry {
	struct owner owner;
	uint64_t uuid;
	UT_hash_handle hh;
};

struct thread_tracks {
	struct thread *state; /* the oldest one */
	struct entry *first;  /* the oldest one */
	uint64_t others;      /* the group of threads whose process is not known; 0: none yet */
};

struct thread_tracks *thread_tracks__new(void)
{
	return calloc(1, sizeof(struct thread_tracks));
}

static void drop_state(struct thread_tracks *threads)
{
	struct thread *thread = threads->state;

	HASH_DEL(threads->state, thread);
	free(thread);
}

static void thread_tracks_forget_first(struct thread_tracks *threads)
{
	struct entry *entry = threads->first;

	HASH_DEL(threads->first, entry);
	free(entry);
}

void thread_tracks__free(struct thread_tracks *threads)
{
	while (threads && threads->first)
		thread_tracks_forget_first(threads);
	while (threads && threads->state)
		drop_state(threads);
	free(threads);
}

static void thread_tracks_put(struct scene *scene, uint32_t tid, uint64_t at_ns,
			      enum task_state state, uint32_t cpu)
{
	const struct task_change change = {.tid = tid, .at_ns = at_ns, .state = state, .cpu = cpu};

	packets__change(scene->packets, &change);
}

/* Ends the state. First the thread leaves the CPU on which it runs. */
static void thread_tracks_forget(struct scene *scene, struct thread *thread, uint64_t at_ns)
{
	if (thread->state == TASK_RUNNING)
		thread_tracks_put(scene, thread->tid, at_ns, TASK_RUNNABLE, thread->cpu);
	if (thread->state) {
		thread_tracks_put(scene, thread->tid, at_ns, TASK_RUNNING, CPU_OF_UNKNOWN_STATES);
		thread_tracks_put(scene, 0, at_ns, TASK_RUNNING, CPU_OF_UNKNOWN_STATES);
	}
	thread->state = TASK_UNKNOWN;
}

static void end_state(struct thread_tracks *threads, struct scene *scene)
{
	thread_tracks_forget(scene, threads->state, threads->state->end_ns);
	drop_state(threads);
}

void thread_tracks__end_run(struct thread_tracks *threads, struct scene *scene)
{
	while (threads->state)
		end_state(threads, scene);
	threads->others = 0;
}

/* NULL: out of memory. */
static struct thread *find_state(struct thread_tracks *threads, struct scene *scene, uint32_t tid)
{
	struct thread *thread;

	HASH_FIND(hh, threads->state, &tid, sizeof(tid), thread);
	if (thread)
		return thread;
	if (HASH_COUNT(threads->state) >= STATES_MAX)
		end_state(threads, scene);
	thread = calloc(1, sizeof(*thread));
	if (!thread) {
		packets__fail(scene->packets);
		return NULL;
	}
	thread->tid = tid;
	HASH_ADD(hh, threads->state, tid, sizeof(tid), thread);
	return thread;
}

static enum task_state thread_tracks_state_of(uint16_t cost)
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

static void thread_tracks_begin(struct scene *scene, struct thread *thread,
				const struct thread_moments *moments, const struct moment *moment)
{
	enum task_state state = thread_tracks_state_of(moment->cost);
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
		thread_tracks_put(scene, thread->tid, moment->from_ns, TASK_RUNNABLE, thread->cpu);
	/* The name comes with the first state, and with one after it has changed. */
	if (strcmp(thread->comm, moments->thread.comm)) {
		memcpy(thread->comm, moments->thread.comm, sizeof(thread->comm));
		change.comm = thread->comm;
	}
	packets__change(scene->packets, &change);
	thread->state = state;
	thread->cpu = change.cpu;
}

static bool is_known(const struct moment *moment)
{
	enum task_state state = thread_tracks_state_of(moment->cost);

	return state == TASK_RUNNING ? moment->cpu < CPU_OF_UNKNOWN_STATES : state;
}

static void states_put(struct thread_tracks *threads, struct scene *scene,
		       const struct thread_moments *moments)
{
	struct thread *thread = find_state(threads, scene, moments->thread.tid);
	struct event event;

	if (!thread)
		return;
	for (uint32_t i = 0; i < moments->cnt; i++) {
		const struct moment *moment = &moments->moment[i];

		if (thread->end_ns != moment->from_ns)
			thread_tracks_forget(scene, thread, thread->end_ns);
		thread->end_ns = moment->to_ns;
		if (is_known(moment)) {
			thread_tracks_begin(scene, thread, moments, moment);
			continue;
		}
		thread_tracks_forget(scene, thread, moment->from_ns);
		event = (struct event){.name = "what a thread did"};
		event_note_thread(&event, &moments->thread);
		scene_lost(scene, moment->from_ns, moment->to_ns, &event);
	}
}

/* `*is_new`: its track has to be written. 0: out of memory. */
static uint64_t thread_tracks_find(struct thread_tracks *threads, struct scene *scene,
				   struct owner owner, bool *is_new)
{
	struct entry *entry;

	HASH_FIND(hh, threads->first, &owner, sizeof(owner), entry);
	*is_new = !entry;
	if (entry)
		return entry->uuid;
	if (HASH_COUNT(threads->first) >= THREADS_MAX)
		thread_tracks_forget_first(threads);
	entry = calloc(1, sizeof(*entry));
	if (!entry) {
		packets__fail(scene->packets);
		return 0;
	}
	entry->owner = owner;
	entry->uuid = packets__uuid(scene->packets);
	HASH_ADD(hh, threads->first, owner, sizeof(owner), entry);
	return entry->uuid;
}

static void thread_tracks_add_process(struct thread_tracks *threads, struct scene *scene,
				      uint32_t pid, const char *name)
{
	struct track track = {.pid = pid, .comm = name};
	bool is_new;

	track.uuid = thread_tracks_find(threads, scene, (struct owner){.pid = pid}, &is_new);
	if (is_new)
		packets__track(scene->packets, &track);
}

/* A track below the root of the run: the thread belongs to a process that is not known. */
static void add_other(struct thread_tracks *threads, struct scene *scene, struct track *track)
{
	const char *comm = track->comm[0] ? track->comm : "?";
	char name[NAME_LEN];

	if (!threads->others)
		threads->others = scene_group(scene, "threads of unknown processes", 9);
	if (track->tid)
		snprintf(name, sizeof(name), "%s (tid %u)", comm, track->tid);
	else
		snprintf(name, sizeof(name), "kernel");
	track->parent = threads->others;
	track->name = name;
	track->tid = 0;
	packets__track(scene->packets, track);
}

static uint64_t track_of(struct thread_tracks *threads, struct scene *scene,
			 const struct party *thread, uint32_t pid, const char *process)
{
	struct track track = {.pid = pid, .tid = thread->tid, .comm = thread->comm};
	bool is_new;

	if (pid)
		thread_tracks_add_process(threads, scene, pid, process);
	track.uuid = thread_tracks_find(threads, scene,
					(struct owner){.pid = pid, .tid = thread->tid}, &is_new);
	if (is_new && pid)
		packets__track(scene->packets, &track);
	else if (is_new)
		add_other(threads, scene, &track);
	return track.uuid;
}

/* The system call that a thread sleeps in: the viewer's own states do not say so. */
static void put_sleep(struct scene *scene, uint64_t track, const struct moment *moment)
{
	char call[NAME_LEN], title[NAME_LEN];
	struct event event = {.track = track, .name = title, .category = "sleep"};

	syscall_name(scene->info.host.arch, moment->call, call);
	snprintf(title, sizeof(title), "asleep in %.*s", NAME_LEN - 12, call);
	slice_put(scene->packets, &event, moment->from_ns, moment->to_ns);
}

void thread_tracks__moments(struct thread_tracks *threads, struct scene *scene,
			    const struct thread_moments *moments)
{
	uint64_t track = track_of(threads, scene, &moments->thread, moments->pid, moments->process);

	states_put(threads, scene, moments);
	for (uint32_t i = 0; i < moments->cnt; i++) {
		const struct moment *moment = &moments->moment[i];

		if (moment->cost == COMPONENT_BLOCKED && moment->call < CALL_OUTSIDE)
			put_sleep(scene, track, moment);
	}
}

static uint64_t track_of_end(struct thread_tracks *threads, struct scene *scene,
			     const struct message *message, bool is_sender)
{
	const struct unit *unit = message->unit;

	if (is_sender)
		return track_of(threads, scene, &message->sender, unit ? unit->sender_pid : 0,
				unit ? unit->sender_process : "");
	return track_of(threads, scene, &message->receiver, unit ? unit->receiver_pid : 0,
			unit ? unit->receiver_process : "");
}

/*
 * Between the two instants there may be a second: each is a run of its own, so that other events
 * find room between them.
 */
void thread_tracks__message(struct thread_tracks *threads, struct scene *scene,
			    const struct message *message, uint64_t flow)
{
	struct event event = {.type = EVENT_INSTANT,
			      .at_ns = message->send_ns,
			      .name = "send",
			      .category = "message",
			      .flow = flow};

	event_note(&event, "channel", message->channel);
	event_note(&event, "seq", message->position);
	event.track = track_of_end(threads, scene, message, true);
	packets__put_one(scene->packets, &event);
	event.track = track_of_end(threads, scene, message, false);
	event.at_ns = message->recv_ns;
	event.name = "receive";
	event.flow = 0;
	event.flow_end = flow;
	packets__put_one(scene->packets, &event);
}
