/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the components, which add up to the latency of a message; what else time can be spent
 * for; the states of a service; and the path classes, which say what the receiver was doing when
 * the message became visible. Each has one row of a table, in component.c, with all that reports
 * say of it.
 */
#pragma once

#include <stdbool.h>

/* The components of a latency, in the order of time: first those of the sender. */
enum component {
	COMPONENT_DISPATCH,  /* stamp → send */
	COMPONENT_SEND_PATH, /* send → queued, less room */
	COMPONENT_ROOM,      /* the sender, or its data, waits for room at the receiver */
	COMPONENT_WAKEUP,    /* asleep on this channel */
	COMPONENT_RUNQUEUE,  /* runnable, not running */
	COMPONENT_SWITCH,    /* the scheduler's switch to the receiver */
	COMPONENT_BUSY,      /* running, outside of the receive call of this message */
	COMPONENT_BLOCKED,   /* asleep for another reason */
	COMPONENT_RECEIVE,   /* running in the receive call */
	COMPONENT_RETURN,    /* recv → user */
	NR_COMPONENTS,

	/*
	 * What else time can be spent for: what a thread did in the part of a service, or while
	 * another thread waited for it. Such a thread can also be in `runqueue`, `blocked` and
	 * `wakeup`. A cost is one of these or a component.
	 */
	COST_ON_CPU = NR_COMPONENTS, /* the thread ran */
	COST_STOPPED,                /* a signal or a debugger had stopped the thread (SIGSTOP) */
	COST_UNKNOWN,                /* what was done in this time is not known */
	NR_COSTS
};

/* What is known of a component before any is measured. */
struct component_info {
	const char *name;  /* in JSON: send_path */
	const char *title; /* for people: send path */
	const char *class; /* in figure.css: c-send_path */
};

/* All of a component; of the other costs, only the members above. */
extern const struct component_info components[NR_COSTS];

/* What the receiver was doing at `queued`. */
enum path { PATH_SLEPT, PATH_RUNNABLE, PATH_RUNNING, PATH_BLOCKED, NR_PATHS };

extern const char *const path_names[NR_PATHS];
