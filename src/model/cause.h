/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines causes. The causes of a latency are its components, each cut by what brought it about:
 *
 *	|  send path  | wakeup |       run queue         | receive          |
 *	|             |        | kworker/1:2 |  hog      |  itself | NET_RX |
 *
 * They add up to the latency. A cause can be followed: the causes below it say what its culprit did
 * in that time.
 */
#pragma once

#include "bpf/deep.h"
#include "model/failed_call.h"
#include "model/message.h"

/*
 * The parts of a call: PART_CONNECT is the time from connect() to the request, if the call is the
 * first one of its connection. Those of a connection: PART_CONNECT is the time until it is in the
 * queue of its listener, and PART_QUEUE the rest. All other latencies have one part.
 */
enum cause_part {
	PART_WHOLE,
	PART_CONNECT,
	PART_REQUEST,
	PART_SERVICE,
	PART_RESPONSE,
	PART_QUEUE,
	NR_CAUSE_PARTS
};

/* What the culprit `by` of a cause did. */
enum cause_role {
	CAUSE_ITSELF,  /* there is no culprit: the time is the component's own */
	CAUSE_UNKNOWN, /* there is one, and it is not known; `by` is empty */
	CAUSE_RAN,     /* it ran on the CPU that the thread waited for */
	CAUSE_INSIDE,  /* interrupts, and the host's steal: it ran in the middle of this time */
	CAUSE_WOKE,    /* it ended the sleep, at the end of the time */
	CAUSE_KEPT,    /* the thread had to do with it: a message of it was handled, or one was sent
			* to it */
	CAUSE_READER,  /* it had to make room */
	NR_CAUSE_ROLES
};

/*
 * What is known of a time beyond its culprit, for example that the thread slept until its own
 * timeout. Each has one row of a table, in cause.c.
 */
enum cause_reason {
	REASON_NONE,
	/* A wait for a CPU, while another one was idle for at least a quarter of it. */
	REASON_SPARE_FORBIDDEN, /* the thread may not use that one */
	REASON_SPARE_ALLOWED,
	REASON_CIRCLE, /* a sleep in a send call, for room at a thread that waits for this one */
	/*
	 * A sleep until the thread's own timeout, for an answer of a thread that waits for this
	 * one, or for an answer of its own.
	 */
	REASON_CIRCLE_CALL,
	REASON_CIRCLE_SELF,
	REASON_TIMEOUT, /* a sleep: nothing ended it before the time that the thread had set */
	REASON_TRIED,   /* the same of a pause, after another call of the thread failed */
	/* The same, in a call that waits for data, though a message was there. */
	REASON_TIMEOUT_DATA,
	REASON_SLACK,   /* a sleep: that time was over, and the kernel has added its timer slack */
	REASON_RESERVE, /* a wait of a real-time thread: the kernel keeps time for ordinary ones */
	REASON_IN_VAIN, /* a wait for a CPU behind a thread that was woken, and found nothing */
	REASON_DISK_PAGE, /* a sleep outside of calls: a page of memory has to be read first */
	REASON_DISK,      /* a sleep for a disk */
	/* The same, while the disk has requests of another thread, or of one of the kernel. */
	REASON_DISK_BUSY,
	REASON_DISK_KERNEL,
	REASON_RECLAIM,       /* the thread needs memory, and frees some */
	REASON_RECLAIM_GROUP, /* the same, as its control group has a limit */
	REASON_DIRTY, /* a sleep: the kernel holds back what it writes, as too much is dirty */
	REASON_SHORT_CALLS, /* on a CPU in many system calls, each of them short */
	/* The same, of calls that fail: with EAGAIN, as there is nothing, or no room; or else. */
	REASON_CALLS_AGAIN,
	REASON_CALLS_FAIL,

	/* Of TCP: what keeps data from the receiver after the send call has returned. */
	REASON_NAGLE,       /* see HELD_NAGLE */
	REASON_DELAYED_ACK, /* see HELD_ACK */
	REASON_CORK,
	REASON_CONGESTION,
	REASON_PACING,
	REASON_RETRANSMIT,
	REASON_UNDER_WAY, /* not known */

	REASON_FROZEN,      /* a sleep: of a thread that its control group's freezer holds */
	REASON_TRACED,      /* the same, held by a debugger */
	REASON_SEND_BUFFER, /* a sleep in a send call of TCP: its own buffer is full */
	/* A wait for a lock of the kernel. */
	REASON_KERNEL_SPIN,
	REASON_KERNEL_MUTEX,
	REASON_KERNEL_RWSEM,
	REASON_KERNEL_SEMAPHORE,
	REASON_DEVICE, /* of TCP: see HELD_DEVICE */
	/* Of a connection. */
	REASON_ACCEPT_QUEUE, /* the queue of its listener is full */
	REASON_NO_ANSWER,    /* TCP has sent segments of the handshake again */
	NR_CAUSE_REASONS
};

static inline bool reason_is_reclaim(uint32_t reason)
{
	return reason == REASON_RECLAIM || reason == REASON_RECLAIM_GROUP;
}

static inline bool reason_has_disk(uint32_t reason)
{
	return reason >= REASON_DISK_PAGE && reason <= REASON_DISK_KERNEL;
}

static inline bool reason_is_circle(uint32_t reason)
{
	return reason >= REASON_CIRCLE && reason <= REASON_CIRCLE_SELF;
}

/* Whether it has the number of an idle CPU. */
static inline bool reason_has_cpu(uint32_t reason)
{
	return reason == REASON_SPARE_FORBIDDEN || reason == REASON_SPARE_ALLOWED;
}

struct cause_reason_info {
	const char *name; /* in JSON; NULL: nothing is known */
	/*
	 * Completes the subject of a sentence, with "%c" for the system call (" in epoll_wait", or
	 * nothing), "%u" for what lets the thread go on (" until hog lets it go on", or
	 * nothing), "%f" for the function of the kernel that waits (" in pipe_write", or nothing),
	 * "%t" for the time that was asked for (" of 250.0 ms", or nothing), "%b" for
	 * the culprit, "%e" for the call that failed (" fcntl has failed
	 * (EAGAIN)"), "%d" for the disk and "%p" for the CPU that the thread waits for ("CPU 1",
	 * "a CPU").
	 */
	const char *does;
	const char *subject; /* instead of the thread; NULL: the thread */
	const char *label;   /* in tables; the same, without the subject */
};

extern const struct cause_reason_info cause_reasons[NR_CAUSE_REASONS];

struct cause {
	uint8_t part;        /* enum cause_part */
	uint8_t cost;        /* enum component: a cost */
	uint8_t role;        /* enum cause_role */
	bool from_interrupt; /* CAUSE_WOKE: an interrupt ended the sleep. `by` is the interrupt; if
			      * that is not known, the thread that ran meanwhile, which has nothing
			      * to do with it */
	uint16_t call;       /* `blocked`: the syscall slept in, see struct blocked_call; `on_cpu`,
			      * `busy`, `dispatch`: the long one in which the thread ran */
	uint16_t parent;     /* 1 + index of the cause that this one follows; 0: it is part of the
			      * latency */
	uint32_t reason;     /* enum cause_reason */
	uint32_t tid;        /* the thread whose time this is */
	uint64_t from_ns;    /* when it began first: the time may be in several pieces */
	uint32_t spare_cpu;  /* REASON_SPARE: the idle one, or BLAME_CPU_SEVERAL */
	uint64_t asked_ns;   /* what the thread had asked for: the longest of all pieces; 0: not
			      * known */
	struct failed_call failed;        /* REASON_TRIED: which one had */
	char disk[DISK_NAME_LEN];         /* REASON_DISK: "vda"; "": several, or not known */
	char function[LOCK_FUNCTION_LEN]; /* REASON_KERNEL_: of the kernel, which waits for the
					   * lock; "": not known */
	uint32_t minor;     /* page faults of the thread in this time, without a disk, ... */
	uint32_t major;     /* ... and with one */
	struct blame by;    /* the culprit; `ns`: how long */
	uint32_t stack;     /* the stack of the culprit that kept a CPU, else of the thread itself,
			      * see model/stack_names.h; 0: not known */
	uint8_t stack_kind; /* enum stack_kind */
};

/* More causes of one latency are added to the last one of their component, with CAUSE_UNKNOWN. */
#define CAUSES_MAX 512

/* Followed causes have at most this many above them. */
#define CAUSE_DEPTH_MAX 6

/*
 * What the threads of one culprit have in common. Threads of one name, class and priority are one
 * culprit, and so are all kworkers of one priority, and all threads of ipctrace itself, which have
 * several priorities. `pid`, `cpu` and `ns` are those of none; `tid` is 0, but for interrupts and
 * for threads without a name.
 */
struct blame culprit_folded(const struct blame *by);

/*
 * The same for figures, in which a name is one culprit whatever its priority, and whether it sent.
 */
struct blame culprit_folded_by_name(const struct blame *by);

/* Whether it stands for threads of one name, so that it has no number. */
bool culprit_is_folded(const struct blame *by);

/* Whether the two have the same class, kind, number, priority and name. */
bool culprit_is_same(const struct blame *a, const struct blame *b);

extern const char *const cause_role_names[NR_CAUSE_ROLES];
extern const char *const cause_part_names[NR_CAUSE_PARTS]; /* NULL for PART_WHOLE */
