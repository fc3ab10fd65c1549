/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines which units are looked at, which of them are the slow ones, and what these are held
 * against. All commands select messages in these words.
 *
 *	all units -- filters (--between, --channel, --client, --round, --peer) --> units
 *	units -- --slowest, --slower-than, --message --> the slow set
 *	units -- --against --> the base
 */
#pragma once

#include "model/explanation.h"

#define SELECT_GLOB_LEN     64
#define SELECT_CHANNELS_MAX 64

/* A process, by its number or by a pattern of its name (fnmatch). Zero-initialised: any. */
struct select_process {
	uint32_t pid;
	char glob[SELECT_GLOB_LEN];
};

/* Both limits belong to it. `is_set` false: any. */
struct select_range {
	bool is_set;
	uint64_t first;
	uint64_t last;
};

/*
 * A service: calls to one address that processes of one name serve, or one process. Zero: any. A
 * pattern meets "redis-server on *:6379", its name or its address.
 */
struct select_service {
	bool is_set;
	uint32_t pid; /* of a server; 0: not given */
	char comm[RECORD_COMM_LEN];
	char address[SERVICE_NAME_LEN]; /* with `comm`: exactly these two, or `pid` and this */
	char glob[SERVICE_NAME_LEN];    /* instead; empty: not given */
};

enum against {
	AGAINST_MIDDLE, /* from the 25th to the 75th percentile of the latency */
	AGAINST_OTHERS, /* all that are not slow */
	AGAINST_FILE,   /* all units of another recording that pass --client and --peer */
};

/* Zero-initialised: the slowest 1 % of all units against the middle half. */
struct selection {
	/* Filters: a unit passes if it passes all of them. */
	struct select_range between_ns; /* since tracing began; a unit passes if it overlaps */
	uint32_t channel[SELECT_CHANNELS_MAX];
	uint32_t channel_cnt;         /* 0: any */
	struct select_range client;   /* number in a run, or in a round of an attach */
	struct select_process caller; /* the process that calls or sends: --client of an attach */
	struct select_range round;
	struct select_process peer; /* at either end */
	struct select_service service;

	/* The slow set. If several are given, a slow unit meets all of them. */
	double slowest_percent;  /* of the units that pass; 0: not given */
	uint64_t slowest_cnt;    /* 0: not given */
	uint64_t slower_than_ns; /* 0: not given */
	bool has_message;        /* the next two are given: the slow set is this one unit */
	uint32_t message_channel;
	uint64_t message_position;

	enum against against;
};

/* Where nothing else says which units are slow. */
#define SLOWEST_PERCENT_DEFAULT 1.0

/*
 * Whether the unit passes the filters. `begin_ns`: when tracing began (struct begin), from which
 * `between_ns` counts. A unit whose processes, round or client are not known does not pass a filter
 * on them.
 */
bool selection_passes(const struct selection *selection, const struct unit *unit,
		      uint64_t begin_ns);

/* The same for units of the other recording of AGAINST_FILE. */
bool selection_passes_other(const struct selection *selection, const struct unit *unit);

/* Whether it depends on more of units than their times. */
bool selection_needs_identities(const struct selection *selection);

/* Whether it is the unit of `--message`. */
bool selection_is_message(const struct selection *selection, const struct unit *unit);

/* Whether nothing says which units are slow. */
bool selection_is_default(const struct selection *selection);

/* How many of `units` the slow set has at most; UINT64_MAX: no such limit. At least 1. */
uint64_t selection_slow_max(const struct selection *selection, uint64_t units);

/* "slowest 1%, channel 7, between 1.5s and 2s": the slow set in the words of the options. */
void selection_text(const struct selection *selection, char text[SELECT_TEXT_LEN]);

/* "middle half, channel 7": the base. For AGAINST_FILE, `file` is its name. */
void selection_against_text(const struct selection *selection, const char *file,
			    char text[SELECT_TEXT_LEN]);
