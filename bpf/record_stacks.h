/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Defines the records of stacks, with --stacks. A STACK record says that a thread had this stack.
 * Equal stacks have the same number. At the end of tracing, a FRAMES record gives each number its
 * functions, and a SYMBOL record each function its name.
 */
#pragma once

#include "record_type.h"

/* The name of the process that names functions for an ipctrace, whose pid it ends with. */
#define NAMER_COMM_FORMAT "ipctrace%u"
#define NAMER_COMM_LEN    sizeof("ipctrace4294967295")

/* When a stack was taken. */
enum stack_kind {
	STACK_BLOCKED, /* the thread slept from from_ns to to_ns: what it slept in */
	STACK_RAN,     /* it had run on head.cpu since from_ns when an interrupt of a timer came at
			* to_ns: what it did; a traced thread waited for this CPU, or it is one */
	STACK_LEFT, /* it left head.cpu at to_ns, on which it had run since from_ns: what it went to
		     * sleep in, or was preempted in; a traced thread had waited for long */
	NR_STACK_KINDS
};

struct record_stack {
	struct record head; /* tid: of the thread; cpu: where it ran, or was woken from */
	u64 from_ns;
	u64 to_ns;
	u32 kind;  /* enum stack_kind */
	u32 stack; /* its number, from 1 */
};

#define FRAMES_KERNEL_CUT 1u /* flag: there are further callers in the kernel, ... */
#define FRAMES_USER_CUT   2u /* ... or in the program, that are not known */

/* u32 symbol[] follows, innermost first: the kernel's, and the program's; 0: an unknown one. */
struct record_frames {
	struct record head; /* flags: FRAMES_ */
	u32 stack;
	u16 kernel_cnt;
	u16 user_cnt;
};

/* u8 text[length] follows, with zeros to a whole word. */
struct record_symbol {
	struct record head;
	u32 symbol; /* its number, from 1 */
	u32 length;
};

#define SYMBOL_TEXT_LEN 192 /* with the NUL that a reader adds */

/* The settings and losses of the above, once. */
struct record_stacks {
	struct record head;
	u64 over_ns;  /* stacks of shorter times were not taken */
	u64 taken;    /* STACK records, and those without a number for lack of memory */
	u64 lost;     /* not recorded: no room in the ring buffer, */
	u64 no_room;  /* or for the stack of another thread */
	u64 unknown;  /* functions without a name */
	u64 overfull; /* STACK records that are missing, as there are too many different stacks */
};
