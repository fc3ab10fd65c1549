/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes packets of a Perfetto trace. Instants rise in each sequence of packets, but events come in
 * no order at all. So the caller puts events in short rising runs, and each run goes to a sequence
 * that has no later event yet:
 *
 *	packets__begin(packets, from_ns, to_ns);
 *	packets__put(packets, &event);		any number, from from_ns to to_ns
 *
 * There are at most SEQUENCES_MAX sequences at a time. If none has room, one ends and another one
 * begins. All text may be foreign.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SEQUENCES_MAX 512

/* Each sequence has a text once, and then its number; further texts have none. */
#define STRINGS_MAX 4096

struct packets;

/* A track of the file. */
enum track_unit { TRACK_OF_SLICES, TRACK_OF_NS, TRACK_OF_CNT };

struct track {
	uint64_t uuid;
	uint64_t parent;         /* 0: none */
	const char *name;        /* NULL: that of the process or thread */
	const char *description; /* NULL: none */
	int32_t rank;            /* among its siblings; 0: by its name */
	bool has_ranks;          /* its children have ranks */
	enum track_unit unit;    /* of a counter; TRACK_OF_SLICES: it is none */
	uint32_t pid;            /* of a process or thread; 0: neither */
	uint32_t tid;            /* of a thread; 0: none */
	const char *comm;        /* its name; NULL or empty: not known */
};

/* States of a thread, with the format's numbers. */
enum task_state {
	TASK_UNKNOWN = 0,
	TASK_RUNNABLE = 2,
	TASK_RUNNING = 3,
	TASK_ASLEEP = 4,
	TASK_STOPPED = 6
};

/* A thread's state from an instant on. Zero-initialised, what is not said is not there. */
struct task_change {
	uint32_t tid;
	uint64_t at_ns;
	const char *comm; /* NULL: as before */
	enum task_state state;
	uint32_t cpu;      /* where it runs, or ran until now */
	uint32_t priority; /* the kernel's: 0..99 is real-time */
};

enum event_type { EVENT_BEGIN, EVENT_END, EVENT_INSTANT, EVENT_COUNTER };

/* More about an event. */
struct note {
	const char *name;
	const char *text; /* NULL: the number */
	uint64_t number;
};

#define NOTES_MAX 24

/* Zero-initialised, what is not said is not there. Borrowed. */
struct event {
	enum event_type type;
	uint64_t track;
	uint64_t at_ns;
	const char *name; /* of a kind, without numbers: a viewer gives each name a colour */
	const char *category;
	uint64_t flow;     /* an arrow begins here; 0: none does */
	uint64_t flow_end; /* this one ends here */
	int64_t value;     /* of a counter */
	struct note note[NOTES_MAX];
	uint32_t note_cnt;
};

/* Further ones are left out. */
void event_note(struct event *event, const char *name, uint64_t number);
void event_note_text(struct event *event, const char *name, const char *text);

struct packets *packets__new(FILE *out); /* borrows `out`; NULL: out of memory */
void packets__free(struct packets *packets);

/* How many bytes were written. */
uint64_t packets__bytes(const struct packets *packets);

/* The first error of all that was written: 0 or -errno. */
int packets__error(const struct packets *packets);

/* The caller is out of memory. */
void packets__fail(struct packets *packets);

/* At `ns` of CLOCK_MONOTONIC the wall clock showed `unix_ns`; 0: that is not known. */
void packets__clock(struct packets *packets, uint64_t ns, uint64_t unix_ns);

/* An identity for a new track. */
uint64_t packets__uuid(struct packets *packets);

/* Before the first event on it. */
void packets__track(struct packets *packets, const struct track *track);

void packets__begin(struct packets *packets, uint64_t from_ns, uint64_t to_ns);
void packets__put(struct packets *packets, const struct event *event);

/* A run of one event. */
void packets__put_one(struct packets *packets, const struct event *event);

/*
 * What a viewer shows first: the time in which all data sources were recording. No other part of a
 * file can say where to begin.
 */
void packets__view(struct packets *packets, uint64_t from_ns, uint64_t to_ns);

/* A run of one change. */
void packets__change(struct packets *packets, const struct task_change *change);
