/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the components, which add up to the latency of a message; what else time can be spent
 * for; the states of a service; and the path classes, which say what the receiver was doing when
 * the message became visible. Each has one row of a table, in component.c, with all that reports
 * say of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

/* What a component needs: without it, its time is in another one. */
enum component_need {
	NEEDS_ROUND = 1 << 0,  /* the message is of a run, or of a round of an attach */
	NEEDS_STAMPS = 1 << 1, /* the application's own clock readings: a run */
	NEEDS_CALLS = 1 << 2,  /* system calls are traced: not at level light */
	NEEDS_ROOM = 1 << 3,   /* waits for room are recorded */
	NEEDS_SWITCH = 1 << 4, /* the kernel shows the end of a switch */
	NEEDS_WAKEUP_SEEN = 1 << 5,
	NEEDS_SWITCH_SEEN = 1 << 6,
};

/* If a message has several waits, one of which lacks this, the time of the others is known. */
#define NEEDS_SEEN (NEEDS_WAKEUP_SEEN | NEEDS_SWITCH_SEEN)

/* What a component is blamed on. */
enum component_blame {
	BLAMES_NOTHING, /* it is the kernel's own work for the message */
	BLAMES_SENDER,
	BLAMES_RECEIVER,
	BLAMES_WHAT_RAN, /* see struct blame */
};

/* When the table of components has a row for it. */
enum component_row {
	ROW_ALWAYS,
	ROW_IF_ANY, /* it has taken time, or why it is missing is to be said */
	ROW_IF_TIME,
};

/* A part of a bar: its letter, on ground of its color on a page with colors. */
enum hue {
	HUE_BLUE,
	HUE_CYAN,
	HUE_YELLOW,
	HUE_RED,
	HUE_MAGENTA,
	HUE_GREEN,
	HUE_GRAY,
	HUE_LIGHT_BLUE,
	HUE_LIGHT_CYAN,
	NR_HUES
};

struct bar_mark {
	const char *letter;
	enum hue hue;
};

/* The words before and behind a name. */
struct around {
	const char *before;
	const char *after;
};

/* What is known of a component before any is measured. */
struct component_info {
	/* Of each cost. */
	const char *name;    /* in JSON: send_path */
	const char *title;   /* for people: send path */
	const char *legend;  /* in legends: run queue (waits for a CPU); NULL: as the title */
	const char *class;   /* in figure.css: c-send_path */
	const char *does;    /* completes "the receiver ..." */
	const char *unknown; /* ends that if nothing else is known; NULL: why is not known */
	bool has_call;       /* the syscall slept in, or in which the thread ran, is known */

	/* Of each component. */
	struct bar_mark mark;
	bool of_sender; /* the time is the sender's, else the receiver's */
	bool in_switch; /* part of the context switch, as the GRAME paper has it */
	enum component_blame blame;
	enum component_row row;
	uint32_t batch;           /* of members: recordings have it since then */
	uint32_t needs;           /* bits of enum component_need */
	const char *lacking;      /* why it is missing without NEEDS_ROOM or NEEDS_SWITCH; */
	const char *light_run;    /* without NEEDS_CALLS, in a run; */
	const char *light_attach; /* in an attach; NULL: it has no time */

	/* Reports: on the first screen, and of each message. */
	const char *is;        /* completes "71 % of the latency is ..." */
	const char *part;      /* names it in a row of the first screen */
	struct around verdict; /* around the process: what it does */
	struct around verdict_light;
	const char *of_clients; /* of several runs, the clients of one server; NULL: nothing */
	const char *late;       /* what the sender of a late round did; NULL: never late by it */

	/* Documents: README.md; docs/terms.md and the JSON Schemas. scripts/tables writes them. */
	const char *happens;
	const char *helps;
	const char *means;
};

extern const struct component_info components[NR_COSTS];

/* What a thread does between two instants, for example while it serves a call. */
enum service_state {
	SERVICE_ON_CPU,
	SERVICE_RUNQUEUE,
	SERVICE_BLOCKED,
	SERVICE_WAKEUP, /* another thread has handed it the work, and it is not runnable yet */
	NR_SERVICE_STATES
};

/* Before version 11 of recordings there were no others. */
#define NR_SERVICE_STATES_10 SERVICE_WAKEUP

struct service_state_info {
	const char *name;  /* in JSON: on_cpu */
	const char *title; /* in a bar */
	struct bar_mark mark;
	const char *is_part; /* completes "71 % of the time of calls is ..." */
	const char *part;    /* names it in a row of the first screen */
	const char *is;      /* completes "the server was ..." */
	const char *did;     /* completes "the receiver, which ..." */
	const char *verdict; /* completes "for 20 % of that time ..." */
};

extern const struct service_state_info service_states[NR_SERVICE_STATES];

/* What the receiver was doing at `queued`. */
enum path { PATH_SLEPT, PATH_RUNNABLE, PATH_RUNNING, PATH_BLOCKED, NR_PATHS };

struct path_info {
	const char *name; /* in JSON: slept */
	const char *was;  /* completes "the receiver ..." */
};

extern const struct path_info paths[NR_PATHS];
