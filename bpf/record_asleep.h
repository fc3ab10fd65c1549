/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines the record of a thread that sleeps when tracing begins or ends (attach). All of it holds
 * as in record.h.
 */
#pragma once

#include "record_type.h"

enum asleep_flag {
	ASLEEP_FOR_ROOM = 1,   /* in a call that sends: until `other` receives */
	ASLEEP_FOR_DATA = 2,   /* in a call that receives: until `other` sends */
	ASLEEP_STOPPED = 4,    /* by a signal, a debugger or a freezer: it waits for nothing else */
	ASLEEP_AT_BEGIN = 8,   /* seen when tracing began, not when it ended */
	ASLEEP_ALL_TIME = 16,  /* in one sleep since tracing began */
	ASLEEP_IN_TARGET = 32, /* a thread of a target, not of a peer */
	ASLEEP_UNREAD = 64, /* FOR_ROOM: it has not received what `other` has sent to it, of which
				* a part has no room at this end */
	ASLEEP_ALONE = 128, /* its process has no other thread */
};

struct record_asleep {
	struct record head; /* tid: the thread; flags: enum asleep_flag */
	u32 pid;            /* its process */
	u32 number;         /* of the system call that it sleeps in */
	u64 at_ns;          /* it was asleep then, */
	u64 since_ns;       /* ... and since then; 0: not known */
	u32 transport;      /* of the channel, if `other` is known */
	u32 other;          /* FOR_ROOM, FOR_DATA: a process at the other end; 0: not known */
	char comm[RECORD_COMM_LEN]; /* of the process; NUL terminated */
	char other_comm[RECORD_COMM_LEN];
};

/* What find_asleep in survey.bpf.c says of a thread. Not part of a recording. */
struct sleeper {
	struct record_asleep record; /* without what only user space knows */
	u64 inode; /* of the socket or pipe that it sends to or receives from; 0: none */
	u32 is_socket;
	u32 pad;
	u64 sleeps; /* how often the thread had slept by then */
};
