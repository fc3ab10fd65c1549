/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the components, which add up to the latency of a message. Also defines the path classes,
 * which say what the receiver was doing when the message became visible.
 */
#pragma once

/* The components of a latency, in the order of time. */
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
	NR_COMPONENTS
};

/* What the receiver was doing at `queued`. */
enum path { PATH_SLEPT, PATH_RUNNABLE, PATH_RUNNING, PATH_BLOCKED, NR_PATHS };

extern const char *const component_names[NR_COMPONENTS];  /* send_path */
extern const char *const component_titles[NR_COMPONENTS]; /* send path */
extern const char *const path_names[NR_PATHS];
