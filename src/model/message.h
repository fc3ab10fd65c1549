/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a message. The components of a message are the parts of its latency. The blame of a
 * message says what ran while the receiver waited for a CPU. Also defines how a send and its
 * receive are joined, and why a message is in no statistic.
 */
#pragma once

#include "bpf/record.h"
#include "model/component.h"
#include "model/connected_exchange.h"

#include <stdbool.h>

struct unit;

/* How a send and its receive were joined. */
enum match { MATCH_EXACT, MATCH_RESYNCED, MATCH_AMBIGUOUS, MATCH_APPROXIMATE, NR_MATCHES };

/* Why a message that was sent has no components. Such a message is in no statistic. */
enum incomplete {
	INCOMPLETE_NOT_RECEIVED, /* not received while tracing */
	INCOMPLETE_NO_SEND,      /* received, but the SEND record is missing */
	INCOMPLETE_NO_STAMP,     /* the stamp of the client is missing */
	INCOMPLETE_STAMP,        /* the stamp belongs to another round */
	INCOMPLETE_HISTORY,      /* changes of the receiver's state are missing */
	INCOMPLETE_NO_WAKEUP,    /* the receiver ran without a recorded wake-up */
	INCOMPLETE_ORDER,        /* the instants are out of order */
	INCOMPLETE_OVERFLOW, /* too many messages were open at once, or too many segments in one */
	INCOMPLETE_NOT_RECORDED,  /* it was sent, but has no record */
	INCOMPLETE_NO_ARRIVAL,    /* when the receiver could see the data is not recorded */
	INCOMPLETE_NOT_TRACED,    /* attach: tracing of one end began during its call */
	INCOMPLETE_UNKNOWN_START, /* attach: what the channel held before is not known */
	INCOMPLETE_FORGOTTEN,     /* attach: the thread of one end made room for others */
	NR_INCOMPLETES
};

struct incomplete_info {
	const char *name; /* in JSON: not_received */
	const char *text; /* for people */
};

extern const char *const match_names[NR_MATCHES];
extern const struct incomplete_info incompletes[NR_INCOMPLETES];

/*
 * What ran on the CPU while the receiver was runnable. Recordings contain these numbers: add at the
 * end.
 */
enum blame_class {
	BLAME_SERVER,    /* the sender of this message, unless it is a client */
	BLAME_CLIENT,    /* a client of the same run */
	BLAME_TASK,      /* any other user thread */
	BLAME_KTHREAD,   /* a kernel thread */
	BLAME_IRQ,       /* a handler of a hardware interrupt */
	BLAME_SOFTIRQ,   /* a softirq */
	BLAME_IDLE,      /* no thread: the CPU was leaving idle */
	BLAME_THROTTLED, /* bandwidth control held the receiver back */
	BLAME_UNKNOWN,   /* its record was lost */
	BLAME_IPCTRACE,  /* a thread of ipctrace itself, which reads, analyses and writes records */
	BLAME_STEAL,     /* the host of the virtual machine had taken the CPU away (level deep) */
	NR_BLAME_CLASSES
};

struct blame_class_info {
	const char *name;      /* in JSON: kthread */
	const char *in_attach; /* what reports call it there; NULL: the name */
	const char *title;     /* NULL: its thread or interrupt has a name */
	const char *culprit;   /* the same in a sentence */
	const char *brief;     /* and in a few columns; NULL: the name of the thread */
	struct around waits;   /* around the CPU waited for; NULL: behind the culprit */
	bool is_thread;
	bool is_user; /* a thread of a process */
	bool is_interrupt;
};

extern const struct blame_class_info blame_classes[NR_BLAME_CLASSES];

/*
 * Attach: what a user thread has to do with the target. Recordings contain these numbers: add at
 * the end.
 */
enum blame_relation {
	RELATION_NONE,   /* no user thread, or not known */
	RELATION_TARGET, /* of a process that the user asked to trace */
	RELATION_PEER,   /* of a process that exchanges messages with a target */
	RELATION_OTHER,  /* of another process */
	NR_BLAME_RELATIONS
};

struct blame_relation_info {
	const char *name;   /* in JSON: peer; NULL: none */
	const char *remark; /* behind the thread in a sentence */
	bool is_traced;
};

extern const struct blame_relation_info blame_relations[NR_BLAME_RELATIONS];

/* The thread at one end of a message. */
struct party {
	uint32_t tid;
	uint32_t cpu;
	char comm[RECORD_COMM_LEN]; /* empty: not known */
};

/* `cpu` of struct blame, besides numbers of CPUs. */
#define BLAME_CPU_UNKNOWN UINT32_MAX
#define BLAME_CPU_SEVERAL (UINT32_MAX - 1)

/* The time that one thread or interrupt ran on the CPU while the receiver was runnable. */
struct blame {
	enum blame_class class;
	uint32_t kind; /* enum slice_kind, which says what `tid` counts; or SHARE_ */
	uint32_t tid;
	uint32_t pid; /* its process; 0: the thread is its first one, or that is not known */
	uint32_t cpu; /* where it ran, or BLAME_CPU_; a recording of slow messages lacks it */
	uint64_t ns;
	uint32_t policy;   /* SCHED_* of a thread */
	uint32_t priority; /* as in struct record_name */
	char comm[RECORD_COMM_LEN];
};

/* `cpu` of struct segment, besides numbers of CPUs. */
#define SEGMENT_CPU_UNKNOWN   UINT16_MAX       /* its migration is not recorded */
#define SEGMENT_CPU_THROTTLED (UINT16_MAX - 1) /* none: bandwidth control held the thread back */

/* A part of the latency that belongs to one component. */
struct segment {
	uint64_t from_ns;
	uint64_t to_ns;
	uint16_t component; /* enum component */
	uint16_t cpu;       /* COMPONENT_RUNQUEUE: the CPU waited for, or SEGMENT_CPU_;
			     * COMPONENT_BLOCKED: the syscall, see struct blocked_call */
};

/*
 *	stamp      send        queued                                          recv       user
 *	  |dispatch |send path  | wakeup, runqueue, switch, busy, blocked, receive | return |
 *
 * If no syscalls were traced (hides_calls), `send` is set to `queued`, and `recv` is when the
 * kernel handed over the message. The send path is then part of dispatch; busy and return are of
 * receive.
 *
 * Segments are contiguous, in order, not empty, and cover the latency exactly.
 */
struct message {
	uint32_t channel;
	uint32_t transport; /* enum transport_id; 0: not known */
	uint64_t position;
	uint32_t bytes;
	uint32_t receives; /* receive calls that received a part of it */
	uint32_t client;   /* 1..N: whose link, or the receiver's number in rounds; 0: none */
	bool to_server;    /* the client sent it to the server */
	bool has_round;    /* client and round are valid: in a run, and in a round of an attach */
	bool has_stamp;    /* stamp_ns and user_ns are valid */
	uint64_t round;    /* its number in its direction of the link, from 0, after the warm-up;
			    * in an attach, the number of its round, from 0 */
	uint64_t due_ns;   /* when its exchange was due to begin; 0: no fixed rate */
	struct party sender;
	struct party receiver;

	uint64_t stamp_ns;
	uint64_t send_ns;
	uint64_t returned_ns; /* TCP: the send call returned before `queued`; 0: not known */
	enum send_held held;  /* TCP: why data lay in the sender's socket at that instant */
	uint64_t again_ns;    /* TCP sent data again for it, for the last time; 0: it did not */
	uint64_t queued_ns;
	uint64_t recv_ns;
	uint64_t user_ns;

	enum path path;
	enum match match;
	bool hides_calls;    /* see above */
	bool shows_switch;   /* false: `switch` is unknown and its time is in `receive` */
	bool shows_room;     /* false: `room` is unknown and its time is in `send_path` */
	bool unseen_switch;  /* the start of the switch is unknown: its time is in `runqueue` */
	bool unseen_wakeup;  /* the wakeup is unknown: the wait counts as asleep */
	uint64_t latency_ns; /* user - stamp, or recv - send without a stamp */
	uint64_t component_ns[NR_COMPONENTS]; /* adds up to the latency; but in a round of an
					       * attach, `dispatch` lies before the latency */

	struct connected_exchange exchange; /* a run of the pattern connect */

	const struct segment *segment; /* borrowed during the call */
	uint32_t segment_cnt;
	const struct blame *blame; /* borrowed; largest first; adds up to the runqueue component */
	uint32_t blame_cnt;

	/* Borrowed; not in recordings. NULL unless units are wanted: struct analysis_request. */
	const struct unit *unit;
	uint32_t round_size; /* attach, has_round: messages of the round */
};

/* When its latency begins, and ends. */
static inline uint64_t message_begin_ns(const struct message *message)
{
	return message->has_stamp ? message->stamp_ns : message->send_ns;
}

static inline uint64_t message_end_ns(const struct message *message)
{
	return message_begin_ns(message) + message->latency_ns;
}

/* Whether the component of the message is known. If not, its time is in another one. */
bool message_knows(const struct message *message, enum component component, bool is_attach);

/* Receives a message, which is borrowed. 0 or -errno. */
typedef int message_fn(void *ctx, const struct message *message);
