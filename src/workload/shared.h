/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that the driver shares with the processes of a workload: gate, handshake, failures and
 * journals. Mapped before the processes are forked, so it has the same address in all of them. Its
 * size depends on the spec alone, not on how long the run takes.
 */
#ifndef IPCTRACE_WORKLOAD_SHARED_H
#define IPCTRACE_WORKLOAD_SHARED_H

#include "core/spec.h"
#include "workload/journal.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* How far processes may go. Only rises. */
enum gate_stage {
	GATE_CLOSED, /* all wait, with one thread each */
	GATE_OPEN,   /* the server makes its endpoints and threads */
	GATE_SERVED, /* clients look for the server */
	GATE_DONE,   /* everybody has all messages: to leave is in nobody's way */
};

/* A client in the eyes of the server. Only rises. */
enum membership { MEMBER_ABSENT, MEMBER_OPEN, MEMBER_LEFT };

enum failure_state { FAILURE_NONE, FAILURE_WRITING, FAILURE_WRITTEN };

#define FAILURE_TEXT_LEN 512

/* What the driver and one process know of each other. */
struct slot {
	struct journal journal;         /* TICK records of the server, STAMP records of a client */
	_Atomic uint32_t membership;    /* enum membership */
	_Atomic uint32_t dropped_errno; /* not 0: the server sends nothing more to this client */
	uint64_t dropped_round;         /* valid once dropped_errno is set */
};

struct shared {
	_Atomic uint32_t gate;    /* futex: enum gate_stage */
	_Atomic uint32_t ready;   /* futex: processes that wait at the gate */
	_Atomic uint32_t changes; /* futex: counts what the server may wait for */
	_Atomic uint32_t stop;    /* not 0: end after the present round */

	/* The first failure of any process. */
	_Atomic uint32_t failure; /* enum failure_state */
	int failure_errno;        /* positive */
	char failure_text[FAILURE_TEXT_LEN];

	size_t size;       /* of the whole mapping, in bytes */
	uint64_t capacity; /* of each journal, in entries */
	uint32_t clients;
	struct slot slots[]; /* by process: the server, then the clients; journal entries follow */
};

/* NULL and errno on failure. */
struct shared *shared_new(const struct workload_spec *spec);
void shared_free(struct shared *shared); /* NULL allowed */

/* Rounds that the spec asks for, warm-up included. */
uint64_t shared_rounds(const struct workload_spec *spec);

void shared_gate_raise(struct shared *shared, enum gate_stage stage);
void shared_gate_wait(struct shared *shared, enum gate_stage stage);

/* A process says that it waits at the gate. */
void shared_ready(struct shared *shared);

/* Async-signal-safe. */
void shared_stop(struct shared *shared);
bool shared_stopped(const struct shared *shared);

/* Wakes a server that waits for its clients. */
void shared_member_set(struct shared *shared, uint32_t client, enum membership membership);
enum membership shared_member(const struct shared *shared, uint32_t client);

void shared_drop(struct shared *shared, uint32_t client, int error, uint64_t round);

/* Keeps the first failure of all, for the driver to log. `error` is positive. */
__attribute__((format(printf, 3, 4))) void shared_fail(struct shared *shared, int error,
						       const char *format, ...);

/* Positive errno of the first failure once its text is complete; 0: none. */
int shared_failed(const struct shared *shared);

#endif
