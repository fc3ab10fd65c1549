/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small machine with one or two CPUs, a server, clients, a spinner, a kernel thread and
 * interrupts does random things. It writes the records that the kernel would write, and keeps a
 * ledger of its own in which every nanosecond of every message is booked as it passes.
 */
#pragma once

#include "support/build.h"

enum {
	CLIENTS_MOST = 5,
	CPUS_MOST = 2,
	MESSAGES_MOST = 400,
	BOOKINGS_MOST = 256,
	SERVER_TID = 100, /* and from there on the clients */
	CONTROL_TID = 90,
	SPINNER_TID = 500,
	KTHREAD_TID = 600,
	CHANNEL = 10,
};

enum doing { ASLEEP, RUNNABLE, SWITCHING, RUNNING };
enum reason { AT_GATE, FOR_DATA, FOR_TIMER, FOR_OTHER };
enum place { PLACE_ON_CPU, PLACE_ASLEEP, PLACE_RUNNABLE };

/* Where a thread is in its program. */
enum step {
	SERVER_STAMP,
	SERVER_ENTER,
	SERVER_VISIBLE,
	SERVER_QUEUED,
	SERVER_EXIT,
	SERVER_DONE,
	CLIENT_OUTSIDE,
	CLIENT_LOOK,
	CLIENT_TAKEN,
	CLIENT_STAMP,
	SPINNER,
	KTHREAD,
};

/* Nanoseconds of a message that were spent in one way. */
struct booking {
	enum doing doing;
	bool early; /* asleep since before `queued` */
	uint32_t call;
	uint64_t ns;
};

struct blamed_share {
	uint32_t kind;
	uint32_t tid;
	uint64_t ns;
};

/* A message as it was. */
struct truth {
	uint64_t round; /* warm-up included */
	uint32_t client;
	uint64_t stamp_ns, send_ns, queued_ns, recv_ns, user_ns;
	bool visible, reported; /* in the receiver's queue; the sender has reported it */
	bool received;
	enum doing doing_at_queued;
	uint32_t call_at_queued;
	enum path path;
	uint64_t component_ns[NR_COMPONENTS];
	struct booking booking[BOOKINGS_MOST];
	uint32_t booking_cnt;
	struct blamed_share blamed[BOOKINGS_MOST];
	uint32_t blamed_cnt;
};

struct thread {
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
	bool traced;
	bool named;
	enum step step;
	enum doing doing;
	enum reason reason;
	int cpu;
	uint64_t since_ns; /* asleep */
	bool wake_pending;
	bool throttled; /* runnable, but held back */
	uint32_t call;  /* the receive call it is in; 0: none */
	uint32_t calls;
	uint64_t enter_ns;
	struct truth *queue[MESSAGES_MOST];
	size_t head, tail; /* of the queue */

	/* What the tracer remembers of it. */
	enum place place;
	uint64_t change[CHANGES_MAX];
	uint32_t change_cnt;
	uint64_t first;
};

struct cpu {
	struct thread *current; /* NULL: idle */
	uint32_t irq;           /* 0: none */
	uint32_t softirq;
	uint64_t irq_ns, softirq_ns; /* when they began */
	uint32_t waiters;
	uint32_t seq;
};

struct plan {
	uint64_t seed;
	unsigned int cpus;
	unsigned int clients;
	unsigned int rounds;
	unsigned int warmup;
	bool shows_switch;
	bool sleepy;     /* threads also sleep for other reasons */
	bool spurious;   /* threads are also woken for no reason */
	bool drops;      /* the last client is dropped half-way */
	bool unfinished; /* the run ends when the server does */
	uint64_t start_ns;
};

struct simulation {
	struct plan plan;
	uint64_t seed;
	uint64_t now_ns;
	struct thread thread[CLIENTS_MOST + 3]; /* server, clients, spinner, kernel thread */
	unsigned int threads;
	struct cpu cpu[CPUS_MOST];
	struct truth truth[MESSAGES_MOST];
	size_t truth_cnt;
	struct tape tape;

	/* The server's round. */
	uint64_t round;
	uint64_t due_ns;
	struct record_tick tick;
	unsigned int cursor;
	struct truth *sending;
	uint64_t reported_ns; /* sk_data_ready of it */
};

/* A small run; `seed` from 1 on. */
struct plan random_plan(uint64_t seed);

/* Everything that happens in a run of this plan. To be freed. */
struct simulation *simulation_run(const struct plan *plan);

/* What a recording would say of the run. */
struct run_info simulation_info(const struct simulation *m);
void simulation_free(struct simulation *m);
