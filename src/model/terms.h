/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the model, once: components, path classes, blame classes, and the reasons why a
 * message may be incomplete. Their names are those of reports, JSON fields and documentation.
 */
#ifndef IPCTRACE_MODEL_TERMS_H
#define IPCTRACE_MODEL_TERMS_H

/* In the order of time. */
enum component {
	COMPONENT_DISPATCH,  /* stamp → send */
	COMPONENT_SEND_PATH, /* send → queued */
	COMPONENT_WAKEUP,    /* asleep on this channel */
	COMPONENT_RUNQUEUE,  /* runnable, not running */
	COMPONENT_SWITCH,    /* the scheduler's switch to the receiver */
	COMPONENT_BUSY,      /* running, outside of the receive call that takes this message */
	COMPONENT_BLOCKED,   /* asleep for another reason */
	COMPONENT_RECEIVE,   /* running in the receive call */
	COMPONENT_RETURN,    /* recv → user */
	NR_COMPONENTS
};

/* What the receiver was doing at `queued`. */
enum path { PATH_SLEPT, PATH_RUNNABLE, PATH_RUNNING, PATH_BLOCKED, NR_PATHS };

/* Who ran instead of a runnable receiver. */
enum blame_class {
	BLAME_SERVER,    /* the sender of this message, unless it is a client */
	BLAME_CLIENT,    /* a client of the same run */
	BLAME_TASK,      /* any other user thread */
	BLAME_KTHREAD,   /* a kernel thread */
	BLAME_IRQ,       /* a hardware interrupt's handler */
	BLAME_SOFTIRQ,   /* a softirq */
	BLAME_IDLE,      /* nobody: the CPU was leaving idle */
	BLAME_THROTTLED, /* bandwidth control held the receiver back */
	BLAME_UNKNOWN,   /* a record of it was lost */
	NR_BLAME_CLASSES
};

/* How a send and its receive were joined. */
enum match { MATCH_EXACT, MATCH_RESYNCED, MATCH_AMBIGUOUS, MATCH_APPROXIMATE, NR_MATCHES };

/* Why a message that was sent has no anatomy. Such a message is in no statistic. */
enum incomplete {
	INCOMPLETE_NOT_RECEIVED, /* nobody received it while we looked */
	INCOMPLETE_NO_SEND,      /* received, but the SEND record is missing */
	INCOMPLETE_NO_STAMP,     /* the client's own stamp is missing */
	INCOMPLETE_STAMP,        /* the stamp's round is not this message's */
	INCOMPLETE_HISTORY,      /* some of the receiver's changes of state are missing */
	INCOMPLETE_NO_WAKEUP,    /* the receiver ran without a recorded wake-up */
	INCOMPLETE_ORDER,        /* instants contradict their order */
	INCOMPLETE_OVERFLOW, /* too many messages were open at once, or too many segments in one */
	INCOMPLETE_NOT_RECORDED, /* it was sent, but no record of it came */
	INCOMPLETE_NO_ARRIVAL,   /* nobody saw when its data became visible to the receiver */
	INCOMPLETE_NOT_TRACED,   /* attach: an end was traced only since in its call */
	INCOMPLETE_START,        /* attach: what was in its channel before is not known */
	INCOMPLETE_FORGOTTEN,    /* attach: an end's thread had to make room for others */
	NR_INCOMPLETES
};

/* Literals with the life of the program; "?" for a value that is none. */
const char *component_name(enum component component);  /* send_path */
const char *component_title(enum component component); /* send path */
const char *path_name(enum path path);
const char *blame_class_name(enum blame_class class);
const char *match_name(enum match match);
const char *incomplete_name(enum incomplete reason);
const char *incomplete_text(enum incomplete reason);

#endif
