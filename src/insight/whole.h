/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts the mean time of a unit by what it was spent for, wherever that was: a call waits for a CPU
 * in its request, in its service and in its response. The parts add up to the whole.
 */
#pragma once

#include "insight/focus.h"

enum whole_unit { WHOLE_MESSAGE, WHOLE_CALL, WHOLE_EXCHANGE };

enum whole_kind {
	WHOLE_COMPONENT, /* enum component; of calls, waits and wakeups of the service, too */
	WHOLE_STATE,     /* enum service_state: what else the server did in the service of calls */
	WHOLE_STEP,      /* enum exchange_part */
	WHOLE_UNKNOWN,
};

struct whole_part {
	enum whole_kind kind;
	int which;         /* of that enum */
	double ns;         /* of the mean unit */
	double service_ns; /* so much of it lies in the service of a call */
};

#define WHOLE_PARTS_MAX (NR_COMPONENTS + NR_SERVICE_STATES + 1)

struct whole {
	enum whole_unit unit;
	const struct summary *summary;           /* borrowed */
	const struct stat *stat;                 /* of the units; the same */
	double all_ns;                           /* the mean */
	struct whole_part part[WHOLE_PARTS_MAX]; /* in the order of time; none is empty */
	uint32_t cnt;

	/* What had the CPU while receivers or servers waited for it: adds up to that part. */
	struct blame_summary *blame; /* owned; `total.ns`: of all units */
	uint32_t blame_cnt;
};

/* whole_clean() follows. 0 or -ENOMEM. `focus` is borrowed. */
int whole_of(struct whole *whole, const struct focus *focus);
void whole_clean(struct whole *whole);

/* The largest part; NULL: there is none. */
const struct whole_part *whole_largest(const struct whole *whole);

/* The same, sorted by time. */
void whole_sorted(const struct whole *whole, const struct whole_part *sorted[WHOLE_PARTS_MAX]);

/* The share of a time, over all units, in the time of all units. */
double whole_share(const struct whole *whole, double ns);

/* Units that take far longer than usual ones: TAIL_FACTOR times the median. */
#define TAIL_FACTOR 5

struct whole_tail {
	double units;     /* their share of all */
	double ns;        /* of all time, within the width of a bucket */
	uint64_t from_ns; /* so long, or longer */
};

struct whole_tail whole_tail(const struct whole *whole);
