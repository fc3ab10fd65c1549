/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the functions share that cut the time of a thread into pieces. */
#pragma once

#include "analysis/breakdown/blame.h"
#include "analysis/history/history.h"
#include "container/event_log.h"
#include "model/cause.h"

/*
 * What happened between a thread and another one: it sent, it received, or was woken. The last
 * event before what is forgotten is kept.
 */
struct thread_event {
	uint64_t at_ns;     /* the send call began; the receive call returned; the wakeup began */
	uint64_t sent_ns;   /* received: the send call began, ... */
	uint64_t queued_ns; /* ... the data became visible */
	uint64_t since_ns;  /* ..., since when the thread handles messages of that sender only */
	uint32_t channel;   /* sent, received */
	uint32_t other;     /* received, woken: the other thread */
};

/* What is known of all threads; the caller sets it, and owns what it points at. */
struct cutter {
	struct history *history;
	struct names *names;
	struct blame_roles roles; /* of the message at hand */
	/*
	 * The message at hand is the first one on a connection, which this thread has accepted,
	 * then; `accepted_ns` 0: it is not, or that is not known.
	 */
	uint32_t acceptor_tid;
	uint64_t accepted_ns;
	struct event_log sent;     /* struct thread_event, by sender */
	struct event_log received; /* by receiver */
	struct event_log woken;    /* by the thread that another thread of its process woke */
	uint32_t (*reader_of)(void *ctx, uint32_t channel); /* tid; 0: not known */
	/* Whether requests that were answered were sent on the channel. */
	bool (*asks_on)(void *ctx, uint32_t channel);
	/* The process for which a thread waited in a send when tracing began; 0: not known. */
	uint32_t (*first_wait)(void *ctx, uint32_t tid, uint64_t began_ns);
	void *ctx;             /* of these */
	bool shows_interrupts; /* those of running threads are recorded (--level deep) */
	uint32_t left;         /* so many pieces may still be cut, to bound the work for one unit */
	struct blames blames;  /* working space */
};

/* As many pieces for one unit. */
#define PIECES_MAX 4096

/* A thread as a culprit. */
struct blame thread_culprit(struct cutter *cutter, uint32_t tid, uint64_t at_ns);

/* There is no culprit, or it is not known. */
static inline struct blame no_culprit(void)
{
	return (struct blame){.class = BLAME_UNKNOWN, .cpu = BLAME_CPU_UNKNOWN};
}

/* A time in which one thread is in one state, because of one culprit. */
struct piece {
	uint64_t from_ns;
	uint64_t to_ns;
	enum component cost; /* RUNQUEUE, BLOCKED, STOPPED, ON_CPU or UNKNOWN */
	enum cause_role role;
	bool from_interrupt;
	uint32_t cpu;  /* where it runs, or waits; or BLAME_CPU_UNKNOWN */
	uint16_t call; /* BLOCKED: the syscall, see struct blocked_call; ON_CPU: the long one it
			* runs in */
	enum cause_reason reason;
	uint64_t began_ns;         /* BLOCKED, is_for_room: the sleep began then */
	bool is_for_room;          /* BLOCKED: in a send call, for want of room at the receiver */
	bool is_for_data;          /* REASON_TIMEOUT: in a call that polls or receives */
	bool polls;                /* ON_CPU: in a long call that polls */
	uint64_t asked_ns;         /* as in struct cause */
	struct failed_call failed; /* the same */
	uint32_t spare_cpu;        /* the same */
	char disk[DISK_NAME_LEN];  /* the same */
	char function[LOCK_FUNCTION_LEN]; /* the same */
	struct fault_count faults;        /* of the thread, while it runs by itself */
	struct blame by;                  /* without `ns` */
};

/* Receives a piece, which is borrowed. */
typedef void piece_fn(void *ctx, const struct piece *piece);

struct thread_span {
	uint32_t tid;
	uint64_t from_ns;
	uint64_t to_ns;
	bool runs;     /* the thread is known to run at `from_ns`; */
	uint32_t cpu;  /* on this CPU, unless a change shows another one; or BLAME_CPU_UNKNOWN */
	bool has_data; /* a message is there that the thread receives later */
	bool is_followed;    /* the thread may have changes that are still to be emitted */
	bool shows_instants; /* what is known without its instant is left out: the host's steal */
};

/* The cut of one span under way. */
struct cut {
	struct cutter *cutter;
	const struct thread_span *span;
	piece_fn *fn;
	void *ctx;
	uint64_t *counted_ns; /* page faults are counted up to here */
};

/* Hands out a piece, unless it is empty. */
void cut_emit(const struct cut *cut, const struct piece *piece);
