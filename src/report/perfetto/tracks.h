/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what draws the tracks of a run: each part has its own group below the root, and threads
 * have theirs.
 */
#pragma once

#include "model/call.h"
#include "model/message.h"
#include "model/spans.h"
#include "model/unit.h"
#include "report/perfetto/scene.h"

/*
 * Draws the tracks of processes and threads: what each thread did, its sends and receives, and an
 * arrow for each message.
 */

/*
 * No real CPU. The format has no change to no state: readers refuse it. But if another thread
 * begins to run on a CPU, and the file does not say what state the one before it got, they give
 * that one none. So a thread whose state becomes unknown runs here for no time, and then the idle
 * thread does, which they do not draw.
 */
#define CPU_OF_UNKNOWN_STATES 4095

/* After so many, a thread that comes again has another track. */
#define THREADS_MAX 65536

struct thread_tracks;

struct thread_tracks *thread_tracks__new(void); /* NULL: out of memory */
void thread_tracks__free(struct thread_tracks *threads);

/* After the last message of a run. */
void thread_tracks__end_run(struct thread_tracks *threads, struct scene *scene);

/* What a thread did: in the order of time, each stretch once. */
void thread_tracks__moments(struct thread_tracks *threads, struct scene *scene,
			    const struct thread_moments *moments);

/* `flow`: the identity of the arrow. */
void thread_tracks__message(struct thread_tracks *threads, struct scene *scene,
			    const struct message *message, uint64_t flow);

/* After so many, a channel that comes again has other tracks. */
#define CHANNELS_MAX 65536

/* Draws each message in its channel, as a slice with its components in it. */
struct channel_tracks {
	struct channel *first; /* the oldest one */
	uint64_t group;        /* track */
};

void channel_tracks_clean(struct channel_tracks *channels);

void channel_tracks_message(struct channel_tracks *channels, struct scene *scene,
			    const struct message *message);

/* Begins the slice of a message on a track, with its components, and ends it. */
void message_put(struct scene *scene, uint64_t track, const char *name,
		 const struct message *message);

/*
 * Draws the components of a message as slices inside of its own, which is the run of events that
 * packets__begin() has begun. In the run queue there is a slice for each thread or interrupt that
 * ran meanwhile.
 */
void components_put(struct scene *scene, uint64_t track, const struct message *message);

#define SLOWEST_MAX 20

/*
 * Draws the slowest messages on tracks of their own, by their rank. Zero-initialised is empty;
 * slowest_free() follows.
 */
struct slowest {
	struct message *message[SLOWEST_MAX]; /* copies, the slowest one first */
	uint32_t cnt;
};

void slowest_free(struct slowest *slowest);

/* Keeps a copy if the message is one of the slowest so far. False: out of memory. */
bool slowest_add(struct slowest *slowest, const struct message *message);

/* The one of this time; NULL: none of them has it, or `slowest` is NULL. */
const struct message *slowest_find(const struct slowest *slowest, uint64_t from_ns, uint64_t to_ns);

/* The slowest one on the root track. Its time; empty: there is none. */
struct span slowest_put_first(const struct slowest *slowest, struct scene *scene);

/*
 * After the last message: as many as there is room for, the slowest first. `widest`: what one of
 * them takes at most; `max_bytes`: where the file has to end; 0: there is no limit.
 */
void slowest_put(const struct slowest *slowest, struct scene *scene, uint64_t widest,
		 uint64_t max_bytes);

/* Rounds that are not complete; then the oldest one is forgotten. */
#define ROUNDS_MAX 4096

/* Draws rounds, from their begin until the last receiver has its message. */
struct round_tracks {
	struct lanes lanes;
	struct round *first; /* the oldest one */
};

void round_tracks_clean(struct round_tracks *rounds);

void round_tracks_message(struct round_tracks *rounds, struct scene *scene,
			  const struct message *message);

/* Draws calls with their request, service and response. */
struct call_tracks;

struct call_tracks *call_tracks__new(struct scene *scene); /* NULL: out of memory */
void call_tracks__free(struct call_tracks *calls);

/* A message of a run whose server answers may be the request or the response of a call. */
void call_tracks__message(struct call_tracks *calls, struct scene *scene,
			  const struct message *message, bool is_full);

/* A call of an attach. `is_full`: it is written only if it turns out to be the slowest one. */
void call_tracks__call(struct call_tracks *calls, struct scene *scene, const struct call *call,
		       bool is_full);

/*
 * After the last call of a run: the slowest one on the root track, with the components of its
 * messages if these are among the slowest. Its time; empty: there is none.
 */
struct span call_tracks__put_slowest(const struct call_tracks *calls, struct scene *scene,
				     const struct slowest *slowest);

/*
 * Draws counters: the latency of messages, how many are in flight, and how late exchanges with a
 * fixed rate begin.
 */

/*
 * Messages come in the order of their ends, and the number of those in flight is needed in the
 * order of time. So many begins and ends wait for earlier ones. A message that began before what
 * has been written is not counted.
 */
#define FLIGHT_MAX 131072

struct step {
	uint64_t at_ns;
	int32_t change; /* of the number in flight */
};

struct counters {
	uint64_t latency; /* tracks */
	uint64_t flight;
	uint64_t lateness; /* 0: no message was due at an instant yet */
	uint64_t group;
	uint64_t last_stamp_ns; /* whose lateness was written */
	uint64_t written_ns;    /* the number in flight is written up to here */
	int64_t in_flight;
	uint64_t left_out;
	uint32_t cnt;
	struct step heap[FLIGHT_MAX]; /* the earliest first */
};

/* Empties what was in it. */
void counters_begin(struct counters *counters, struct scene *scene);

void counters_message(struct counters *counters, struct scene *scene,
		      const struct message *message);

/* So many bytes each of the `cnt` steps that wait takes, at most: a packet with one value. */
#define STEP_BYTES 40

/* Writes what waits. Returns how many messages were not counted as in flight. */
uint64_t counters_finish(struct counters *counters, struct scene *scene);
