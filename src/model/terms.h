/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terms of the model: components, path classes, blame classes, and the reasons why a message is
 * incomplete. Reports, JSON and the documentation use the same names.
 */
#pragma once

/* The components of a latency, in the order of time. */
enum component {
	COMPONENT_DISPATCH,  /* stamp → send */
	COMPONENT_SEND_PATH, /* send → queued */
	COMPONENT_WAKEUP,    /* asleep on this channel */
	COMPONENT_RUNQUEUE,  /* runnable, not running */
	COMPONENT_SWITCH,    /* the scheduler's switch to the receiver */
	COMPONENT_BUSY,      /* running, outside of the receive call of this message */
	COMPONENT_BLOCKED,   /* asleep for another reason */
	COMPONENT_RECEIVE,   /* running in the receive call */
	COMPONENT_RETURN,    /* recv → user */
	NR_COMPONENTS
};

/* What the receiver was doing at `queued`. */
enum path { PATH_SLEPT, PATH_RUNNABLE, PATH_RUNNING, PATH_BLOCKED, NR_PATHS };

/* What ran on the CPU while the receiver was runnable. */
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
	NR_BLAME_CLASSES
};

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
	INCOMPLETE_NOT_RECORDED, /* it was sent, but has no record */
	INCOMPLETE_NO_ARRIVAL,   /* when the receiver could see the data is not recorded */
	INCOMPLETE_NOT_TRACED,   /* attach: tracing of one end began during its call */
	INCOMPLETE_START,        /* attach: what the channel held before is not known */
	INCOMPLETE_FORGOTTEN,    /* attach: the thread of one end made room for others */
	NR_INCOMPLETES
};

extern const char *const component_names[NR_COMPONENTS];  /* send_path */
extern const char *const component_titles[NR_COMPONENTS]; /* send path */
extern const char *const path_names[NR_PATHS];
extern const char *const blame_class_names[NR_BLAME_CLASSES];
extern const char *const match_names[NR_MATCHES];
extern const char *const incomplete_names[NR_INCOMPLETES];
extern const char *const incomplete_texts[NR_INCOMPLETES];
