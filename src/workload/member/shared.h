/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the memory that all processes of a workload share. The memory contains counters,
 * failures, records, message headers, and the gate at which the processes wait. The memory is
 * mapped before fork(), so the address is the same in all processes. The size is limited, even if
 * the run is long.
 */
#pragma once

#include "model/spec.h"
#include "workload/member/journal.h"
#include "workload/member/message.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* How often a wait for one of the futex words below checks that the run goes on. */
#define SHARED_CHECK_NS 50000000

/* How far the processes may go. The gate only rises. */
enum gate_stage {
	GATE_CLOSED, /* all processes wait, with one thread each */
	GATE_OPEN,   /* the server makes its end and threads; client threads start */
	GATE_SERVED, /* clients join in turn */
	GATE_GO,     /* all clients have joined: they may send */
	GATE_DONE,   /* all clients have all messages: they may leave without disturbing others */
};

/* A client as the server sees it. The value only rises. */
enum membership { MEMBER_ABSENT, MEMBER_OPEN, MEMBER_LEFT };

enum failure_state { FAILURE_NONE, FAILURE_WRITING, FAILURE_WRITTEN };

#define FAILURE_TEXT_LEN 512

/* The driver has not seen the end of a member yet. */
#define STATUS_NONE UINT32_MAX

/*
 * One direction of a link: its counters. Each side has cache lines of its own, and each word has
 * one writer.
 */
struct direction {
	alignas(CACHE_LINE) _Atomic uint64_t sent;
	_Atomic uint64_t wakes_sent;
	alignas(CACHE_LINE) _Atomic uint64_t received;
	_Atomic uint64_t corrupt;
	_Atomic uint64_t bytes; /* bytes, first_ns and last_ns: without warm-up */
	_Atomic uint64_t first_ns;
	_Atomic uint64_t last_ns;
	_Atomic uint64_t wakes_delivered;
	_Atomic uint64_t headerless; /* good messages whose header was overwritten in the sidecar */
	alignas(CACHE_LINE) struct sidecar sidecar;
};

/* The index of a direction is `to_server` of its records. */
enum { TO_CLIENT, TO_SERVER, NR_DIRECTIONS };

/* One member, the server or a client, and a client's link. */
struct slot {
	struct journal journal; /* records of the member itself */
	struct journal serving; /* a client: records of the server about its link */
	struct direction direction[NR_DIRECTIONS]; /* a client: both directions of its link */
	_Atomic uint32_t tid;           /* of the member's thread; 0: it has not started */
	_Atomic uint32_t membership;    /* enum membership */
	_Atomic uint32_t dropped_errno; /* not 0: the server sends nothing more to this client */
	uint64_t dropped_round;         /* valid once dropped_errno is set */
	_Atomic uint32_t finished;      /* not 0: has received its last message, or never will */
	_Atomic uint32_t asked;         /* not 0: this thread is to end */
	_Atomic uint32_t status;        /* exit status of a thread that has ended */
	_Atomic uint64_t retries;       /* connect: failed connections that were tried again */
	_Atomic uint32_t is_pausing;    /* waits for room for records */
	_Atomic uint64_t pauses;        /* how often this member has waited for room for records */
	_Atomic uint64_t paused_ns;     /* for how long in all */
	_Atomic uint64_t rounds; /* push: rounds sent; other patterns: exchanges of this member */
};

struct shared {
	_Atomic uint32_t gate;     /* futex: enum gate_stage */
	_Atomic uint32_t ready;    /* futex: processes that wait at the gate */
	_Atomic uint32_t turn;     /* futex: the server lets clients up to this number join */
	_Atomic uint32_t joined;   /* futex: clients that have joined */
	_Atomic uint32_t drained;  /* futex: counts how often the driver has read all records */
	_Atomic uint32_t finished; /* clients that have finished */
	_Atomic uint32_t pausing;  /* slots with is_pausing */
	_Atomic uint32_t changes;  /* futex: counts what the server can wait for */
	_Atomic uint32_t stop;     /* not 0: end after the current round */

	/* The first failure of any process. */
	_Atomic uint32_t failure; /* enum failure_state */
	int failure_errno;        /* positive */
	char failure_text[FAILURE_TEXT_LEN];

	_Atomic uint64_t pause_ns;     /* when a member last began to pause */
	_Atomic uint64_t drain_due_ns; /* the driver has no CPU if it is not back; 0: no limit */

	size_t size; /* bytes of the whole mapping */
	uint32_t clients;
	struct slot slots[]; /* the server, then the clients; journals and sidecars follow */
};

/* How much room the records and headers of a run need. */
struct shared_plan {
	uint32_t clients;
	uint64_t journal; /* entries of each member's journal, a power of two */
	uint64_t serving; /* entries of the server's journal for each link, a power of two; 0: none
			   */
	uint64_t sidecar; /* headers of each direction of each link, a power of two; 0: no sidecars
			   */
};

/* NULL and errno on failure. */
struct shared *shared_new(const struct shared_plan *plan);
void shared_free(struct shared *shared); /* NULL allowed */

/*
 * Raises a futex word of `shared` to a value and wakes its waiters, or waits until it has at least
 * that value. Raising it to a value that it has reached has no effect.
 */
void word_raise(_Atomic uint32_t *word, uint32_t value);
void word_wait(_Atomic uint32_t *word, uint32_t value);

/* A process reports that it waits at the gate. */
void shared_ready(struct shared *shared);

/* Async-signal-safe. */
void shared_stop(struct shared *shared);
bool shared_stopped(const struct shared *shared);

/* Wakes a server that waits for its clients. */
void shared_member_set(struct shared *shared, uint32_t client, enum membership membership);
enum membership shared_member(const struct shared *shared, uint32_t client);

/* Once for each client. The last one opens the gate for all to leave. */
void shared_finish(struct shared *shared, uint32_t client);
bool shared_all_finished(const struct shared *shared);

/* The end also for a member that has been killed, whether it was pausing or not. */
void shared_pause_begin(struct shared *shared, uint32_t member);
void shared_pause_end(struct shared *shared, uint32_t member);

void shared_drop(struct shared *shared, uint32_t client, int error, uint64_t round);

/* Keeps the first failure for the driver to log. `error` is positive. */
__attribute__((format(printf, 3, 4))) void shared_fail(struct shared *shared, int error,
						       const char *format, ...);

/* Positive errno of the first failure once its text is complete; 0: none. */
int shared_failed(const struct shared *shared);
