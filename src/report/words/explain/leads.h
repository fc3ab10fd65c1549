/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what an explanation should speak of first: the causes with most of the time, those of one
 * culprit together.
 */
#pragma once

#include "model/explanation.h"

#include <stdbool.h>

/* The part of waits for a CPU in which another one was idle. */
struct lead_spare {
	const struct explain_row *row; /* the one with most; borrowed; NULL: there is none */
	double ns;
};

/*
 * A culprit to look at first, with all its rows: it may have kept the units waiting in several
 * components.
 */
struct lead {
	const struct explain_row *row; /* the one with most; borrowed */
	double ns;                     /* of all its rows, as the view weighs them */
	uint64_t slow_units;           /* in which the culprit is found: so many, or more */
	uint64_t base_units;
	uint32_t rows;
	struct lead_spare spare[2]; /* [1]: the thread may use the idle CPU */

	bool is_kind;   /* several programs of one name, such as worker-1 and worker-2 */
	bool is_mixed;  /* both ends waited for it */
	bool has_parts; /* in several parts of calls */
	bool runs;      /* of one system call: the thread runs in it, ... */
	bool sleeps;    /* ... and sleeps in it, for nothing that another thread does */
	double faults;  /* page faults for each unit, without a disk, ... */
	double majors;  /* ... and with one */
};

/* Whether page faults are likely to take a part of the lead's time that matters. */
bool lead_has_faults(const struct lead *lead);

/* What the sentences are about. */
struct telling {
	const struct explanation *explanation;
	struct explain_view view;
};

struct telling telling_of(const struct explanation *explanation, enum explain_weight weight);

#define LEADS_MAX 3

/* A sentence follows so many rows, each from what one thread waits for to that thread. */
#define CHAIN_MAX 3

/*
 * At most LEADS_MAX, the largest first; of usual units, a wait that is much of it before the
 * thread's own work. Returns how many.
 */
uint32_t leads_of(const struct telling *telling, struct lead lead[LEADS_MAX]);

/* Whether it is the thread's own work, which comes after what the thread waits for. */
bool lead_is_own_work(const struct lead *lead);

/* Whether it is one cause, perhaps found in other parts. */
bool leads_are_alike(const struct lead *one, const struct lead *other);

/* The cause with the longest time in one slow unit, apart from ipctrace itself. NULL: none. */
const struct explain_row *row_longest(const struct telling *telling);

/*
 * The row that follows this one and whose cause has most of its time, in one row or several. `*ns`,
 * unless NULL: the time of these. NULL: none has most of it.
 */
const struct explain_row *row_followed(const struct explain_view *view,
				       const struct explain_row *row, double *ns);
