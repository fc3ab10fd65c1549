/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the classes of blame. Blame says what kept a receiver from running, for example tasks or
 * interrupts.
 */
#pragma once

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

extern const char *const blame_class_names[NR_BLAME_CLASSES];

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

extern const char *const blame_relation_names[NR_BLAME_RELATIONS]; /* NULL for RELATION_NONE */
