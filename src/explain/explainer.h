/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains why slow units are slow. The caller passes all units twice, in the same order:
 *
 *	pass 1, without causes:  explain__rank()   ... which latencies there are
 *	                         explain__choose() ... from which one on a unit is slow
 *	pass 2, with causes:     explain__add()    ... what the slow ones and the others consist of
 *	                         explain__finish()
 *
 * A unit is slow if its latency is above a threshold. For `--slowest` this is the lowest threshold
 * above which at most the wanted number of units lies. So units of equal latency are all slow, or
 * none of them is. Only if the largest latency itself is that of more units than wanted, these are
 * slow, unless they are more than twice the wanted number.
 *
 * Latencies are exact up to EXPLAIN_EXACT_MAX units. For more units the thresholds come from a
 * histogram, and are up to 0.1 % too high.
 *
 * If very many units are not slow, a sample of them goes into pass 2, see explain/sample.h: that
 * takes less time. The slow set is always whole.
 *
 * Memory is bounded: 64 MB at most, and about 45 MB for millions of ordinary units.
 */
#pragma once

#include "explain/selection.h"
#include "model/spans.h"

/* 32 MB of latencies. */
#define EXPLAIN_EXACT_MAX (1u << 22)

/*
 * With fewer units there is no middle half worth its name, and only one message can be explained.
 */
#define EXPLAIN_UNITS_MIN 20

struct explain;

/* What is to be explained. */
struct explain_choice {
	struct run_info info; /* of the recording; the explanation has a copy */
	enum unit_kind kind;
	struct selection selection;
	const char *against_file; /* AGAINST_FILE: its name, for the report; copied */
	uint64_t sample_units;    /* about so many that are not slow suffice; 0: SAMPLE_UNITS */
};

/* NULL: out of memory. `choice` is copied. */
struct explain *explain__new(const struct explain_choice *choice);
void explain__free(struct explain *explain);

/* Pass 1. Units of another kind than the choice's are left out. 0 or -ENOMEM. */
int explain__rank(struct explain *explain, const struct unit *unit);

/*
 * Ends pass 1. EXPLAIN_DONE: pass 2 may begin. With another outcome pass 2 is of no use, and
 * explain__finish() can follow at once.
 */
enum explain_outcome explain__choose(struct explain *explain);

/*
 * After explain__choose(), once: when the units that pass 2 needs causes of are under way.
 * Borrowed. NULL: it needs the causes of all.
 */
const struct spans *explain__needed(struct explain *explain);

/*
 * Pass 2. 1: this unit may become the typical one, and the caller should call explain__typical()
 * with its moments before the next unit. 0: not so; -ENOMEM.
 */
int explain__add(struct explain *explain, const struct unit *unit);

/* Whether the unit is one of those that are looked at, slow or not. */
bool explain__has(const struct explain *explain, const struct unit *unit);

/*
 * After explain__choose(): for how many of these a unit stands in pass 2: 1 if all count, or it is
 * slow; more in a sample, and 0 if it is outside of it.
 */
uint64_t explain__weight(struct explain *explain, const struct unit *unit);

/* After explain__choose(): longer units are slow. UINT64_MAX: none is, or only one message. */
uint64_t explain__slow_above_ns(const struct explain *explain);

/* Whether a unit of the recording of AGAINST_FILE counts. */
bool explain__has_other(const struct explain *explain, const struct unit *unit);

/* Copies the moments of the unit that was added last. At most EXPLAIN_MOMENTS_MAX. 0 or -ENOMEM. */
#define EXPLAIN_MOMENTS_MAX 512
int explain__typical(struct explain *explain, const struct moment *moment, uint32_t cnt);

/* AGAINST_FILE: adds a unit of the other recording, with causes, after explain__choose(). One pass
 * suffices. 0 or -ENOMEM. */
int explain__add_other(struct explain *explain, const struct unit *unit);

/* Fills in `explanation`, which explanation_clean() frees. 0 or -ENOMEM, and then it is empty. */
int explain__finish(struct explain *explain, struct explanation *explanation);
