/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the result of `ipctrace explain`: how the slow units differ from others, cut by component
 * and culprit, what sets them apart, and when they happened.
 */
#pragma once

#include "model/spec.h"
#include "model/stack_names.h"
#include "model/unit.h"

#define SELECT_TEXT_LEN 128

/*
 * Whether there is an explanation. Only with EXPLAIN_DONE and EXPLAIN_TOO_FEW there are rows and
 * lists.
 */
enum explain_outcome {
	EXPLAIN_DONE,
	EXPLAIN_NO_UNITS,  /* no unit passes the filters */
	EXPLAIN_TOO_FEW,   /* the units are too few for a middle half: there is no base */
	EXPLAIN_NONE_SLOW, /* none meets the condition, or all latencies are (nearly) equal */
	EXPLAIN_NO_BASE,   /* there is nothing to hold the slow ones against: all are slow, or the
			    * other recording has none */
	NR_EXPLAIN_OUTCOMES
};

static inline bool explain_has_rows(enum explain_outcome outcome)
{
	return outcome == EXPLAIN_DONE || outcome == EXPLAIN_TOO_FEW;
}

/* What an explanation begins with. */
enum explain_focus {
	FOCUS_DIFFERENCE, /* what the slow units wait for, and the others do not */
	FOCUS_TAIL,       /* the same, and they have most of the time of all units */
	FOCUS_USUAL,      /* what the usual units wait for */
	FOCUS_SLOWEST,    /* EXPLAIN_TOO_FEW: what the slowest unit waits for */
	NR_EXPLAIN_FOCUSES
};

/* A set of units. */
struct explain_set {
	char select[SELECT_TEXT_LEN]; /* in the words of the options: "slowest 1%", "middle half" */
	uint64_t count;
	uint64_t sampled_of;      /* these are a sample of so many units; 0: they are all */
	unsigned __int128 sum_ns; /* of latencies */
	uint64_t least_ns;        /* latencies */
	uint64_t most_ns;
};

/* Calls that the service of a call makes. */
struct explain_nested {
	double calls;    /* for each unit; 0: none */
	double ns;       /* for so long one of them is open */
	bool are_apart;  /* never two at the same time, so that a call takes ns / calls */
	bool has_others; /* they do not all go to this one: */
	char callee[SERVICE_NAME_LEN]; /* "redis-server on *:6379" */
};

/* Wakes of threads that found nothing, as means of all units; see struct unit_vain. */
struct explain_vain {
	double wakes; /* 0: none */
	double cpu_ns;
	uint32_t call; /* which most of them failed in */
	bool in_futex; /* as in struct unit_vain */
};

/* What units waited behind, and what slept meanwhile; see struct unit_turn. */
struct explain_meanwhile {
	double waited_ns;      /* means of all units; 0: none waited */
	double before;         /* calls of others, likewise */
	double accepted;       /* connections that were accepted at once; 0: not known of most */
	double others;         /* threads that slept, of units that waited */
	double other_share;    /* of the waits: for so much of their time the one that slept longest
			     * did so */
	struct blame other;    /* it, in most units; tid 0: none slept */
	enum turn_share share; /* what these threads share with the receiver */
};

/* Calls that open a connection: they begin with connect(). */
struct explain_opening {
	double share;      /* of the units that open one */
	double ns;         /* until it is open at both ends: the mean of all units */
	double connect_ns; /* the same until the request is sent */
};

/*
 * One line of the difference of the means. Component rows (`is_component`) add up to the
 * difference. The rows of culprits that follow a component row, up to the next one, add up to it,
 * and include its own time (CAUSE_ITSELF) and what is not known (CAUSE_UNKNOWN). Rows that follow a
 * culprit (`depth` > 0) add up to that culprit's row, or to less.
 */
struct explain_row {
	bool is_component;
	uint8_t depth; /* 0: component or culprit; else as deep as the causes that it adds up */
	uint8_t part;  /* enum cause_part */
	uint8_t cost;  /* enum component */
	uint8_t role;  /* enum cause_role */
	bool from_interrupt;
	uint16_t call;
	uint32_t reason;                  /* enum cause_reason */
	uint32_t spare_cpu;               /* as in struct cause */
	struct failed_call failed;        /* the same */
	char disk[DISK_NAME_LEN];         /* the same */
	char function[LOCK_FUNCTION_LEN]; /* the same */
	uint64_t asked_least_ns;          /* as in struct cause; 0: not known */
	uint64_t asked_most_ns;
	bool is_rest;    /* culprits for which there was no room: `by` is empty */
	uint32_t folded; /* culprits of one name, class and priority; 0 or 1: one. All kworkers have
			  * one name */
	struct blame by; /* `ns` 0; tid 0 if folded; cpu: where at least 90 % of the slow units'
			  * time was spent, or BLAME_CPU_ */
	double slow_ns;  /* means over all units of the set, 0 where it is not found */
	double base_ns;
	double outliers_ns;
	double slow_faults; /* the same of page faults, without a disk, ... */
	double base_faults;
	double slow_majors; /* ... and with one */
	double base_majors;
	uint64_t slow_units; /* in which it is found */
	uint64_t base_units;
	uint64_t slow_episodes; /* the same for episodes of slow units */
	uint64_t largest_ns;    /* in one slow unit */
};

/*
 * What can set slow units apart: the name in JSON, and the words before and behind a value. If
 * several do so for the same units, the line of the first one of these stands first.
 */
#define ATTRIBUTES(X)                                                                              \
	X(CLIENT, "client", "client ", "") /* of a run: its number; else what calls or sends */    \
	X(PEER, "peer", "to ", "")         /* the process that serves or receives */               \
	X(CHANNEL, "channel", "channel ", "")                                                      \
	X(PLACE, "place", "place ", " in the round")                                               \
	X(WAKER, "waker", "woken by ", "")                                                         \
	X(CPU, "cpu", "on CPU ", "") /* of the receiver, or server */                              \
	X(PATH, "path", "receiver ", " when the data came")                                        \
	X(SIZE, "size", "size ", "") /* class of bytes */                                          \
	/* class of the time since the previous message of the channel */                          \
	X(SINCE, "since", "", " after the one before")                                             \
	X(MIGRATION, "migration", "moved to another CPU: ", "")                                    \
	X(TRANSPORT, "transport", "over ", "")

#define ATTRIBUTE_ID(id, ...) ATTRIBUTE_##id,
enum attribute { ATTRIBUTES(ATTRIBUTE_ID) NR_ATTRIBUTES };

struct attribute_info {
	const char *name;
	struct around words;
};

extern const struct attribute_info attribute_infos[NR_ATTRIBUTES];

#define ATTRIBUTE_VALUE_LEN 64

/*
 * A value of an attribute that is more frequent among the slow ones than among the others. Shares
 * count each episode once, however many units it has: an episode of 10 units, 3 of which have the
 * value, counts as 0.3.
 */
struct explain_attribute {
	enum attribute attribute;
	char value[ATTRIBUTE_VALUE_LEN];
	uint64_t slow_cnt; /* units that have it; */
	uint64_t base_cnt;
	uint64_t episodes; /* and episodes of slow units in which one has it */
	uint32_t same_as;  /* 1 + index of a line above that has (nearly) the same units; 0: none */
	double slow_share; /* of the episodes */
	double base_share;
	double ratio; /* of these, with its 95 % interval; INFINITY: no other unit has it */
	double ratio_low;
	double ratio_high;
	double p; /* corrected for the number of values that were looked at (Holm) */
};

/* Slow units that overlap or touch. */
struct explain_episode {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t units;
	uint64_t rounds; /* different ones; 0: none */
	uint64_t worst_ns;
	uint64_t worst_at_ns; /* when its slowest unit began */
	uint64_t excess_ns;   /* sum of latencies above the mean of the base */
	uint8_t cost;         /* the largest excess, and its culprit */
	uint8_t role;
	struct blame by;
	uint32_t cpu; /* of it, or BLAME_CPU_ */
};

#define EXPLAIN_EPISODES_MAX 64 /* the largest are listed, all are counted */

/* Percentiles if a culprit had taken no time: an upper bound of the gain. */
struct explain_without {
	uint32_t row; /* index of its culprit row */
	uint64_t p99_ns;
	uint64_t p999_ns;
};

#define EXPLAIN_WITHOUT_MAX 3

/* How often a stack was found in the slow units' time of a row. */
struct explain_stack {
	uint32_t row;   /* index */
	uint32_t stack; /* see `stack_names`; the most frequent one of those with equal functions */
	uint8_t kind;   /* enum stack_kind */
	uint64_t count;
};

#define EXPLAIN_STACKS_MAX 3 /* for each row; all are counted */

/* One unit in full. Owns its lists. */
struct explain_typical {
	bool is_known;
	struct unit unit; /* with its causes */
	struct moment
		*moment; /* of sender and receiver, in the order of time; from before the unit */
	uint32_t moment_cnt;
};

struct explanation {
	struct run_info info;
	enum explain_outcome outcome;
	enum unit_kind unit;
	uint64_t units; /* that the selection concerns, slow or not */
	struct explain_set slow;
	struct explain_set base;
	struct explain_set outliers; /* the slowest of `slow`; `select` is empty. count 0: none */
	bool has_other;              /* `base` is of another recording (--against FILE) */
	double difference_ns;        /* of the means */
	enum explain_focus focus;
	double mean_ns;    /* of all units */
	double tail_share; /* of the time of all units: that of the slow ones */
	struct explain_row
		*row; /* [row_cnt], owned: largest component first, its culprits behind it */
	uint32_t row_cnt;
	struct explain_nested usual_nested;
	struct explain_nested slow_nested;
	struct explain_vain usual_vain;
	struct explain_vain slow_vain;
	struct explain_meanwhile usual_meanwhile;
	struct explain_meanwhile slow_meanwhile;
	struct explain_opening usual_opening;
	struct explain_opening slow_opening;
	struct explain_row
		*usual; /* [usual_cnt], owned: those that the base has, most of it first */
	uint32_t usual_cnt;
	struct explain_row
		*outlier; /* [outlier_cnt], owned: those that outliers have, most of it first */
	uint32_t outlier_cnt;
	struct explain_attribute *attribute; /* [attribute_cnt], owned: most certain first */
	uint32_t attribute_cnt;
	uint64_t attributes_looked_at;   /* values */
	struct explain_episode *episode; /* [episode_cnt], owned: largest excess first */
	uint32_t episode_cnt;
	uint64_t episodes;       /* all */
	uint64_t period_ns;      /* between their begins; 0: not regular */
	uint64_t period_hits;    /* so many distances are of this length, ... */
	uint64_t period_of;      /* ... of so many */
	uint32_t period_episode; /* 1 + index: only episodes with the culprit of this one were
				  * looked at; 0: all, or the largest ones */
	uint64_t p99_ns;         /* of all units */
	uint64_t p999_ns;
	struct explain_without without[EXPLAIN_WITHOUT_MAX];
	uint32_t without_cnt;
	struct stack_names *stack_names; /* owned; NULL: no stacks were recorded */
	struct explain_stack *stack; /* [stack_cnt], owned: by row, STACK_LEFT last, else the most
					frequent one first */
	uint32_t stack_cnt;
	uint64_t *stacks_of_row; /* [row_cnt], owned: all of them; NULL: there are no stacks */
	struct explain_typical typical;
	double own_ns;      /* difference that ipctrace itself has caused, part of the rows; */
	double own_share;   /* of the difference */
	uint64_t ambiguous; /* units that are left out: it is not known what belongs to them */
	uint64_t not_cut;   /* units whose causes are not known in full: COST_UNKNOWN */
};

/* Rows, and what they are weighed by. */
enum explain_weight {
	WEIGHT_MORE,  /* how much more of it the slow units have; of EXPLAIN_TOO_FEW, all of it */
	WEIGHT_USUAL, /* how much of it the base has */
	WEIGHT_OUTLIERS, /* how much of it outliers have */
};

struct explain_view {
	const struct explain_row *row; /* [cnt], borrowed */
	uint32_t cnt;
	enum explain_weight weight;
	double all_ns; /* what the components add up to */
};

struct explain_view explanation_view(const struct explanation *explanation,
				     enum explain_weight weight);

static inline double explain_mean_ns(const struct explain_set *set)
{
	return set->count ? (double)((long double)set->sum_ns / set->count) : 0;
}

static inline double view_ns(const struct explain_view *view, const struct explain_row *row)
{
	switch (view->weight) {
	case WEIGHT_USUAL:
		return row->base_ns;
	case WEIGHT_OUTLIERS:
		return row->outliers_ns;
	default:
		return row->slow_ns - row->base_ns;
	}
}

/* Page faults for each unit, as the view weighs them. Those of outliers are not known. */
static inline double view_faults(const struct explain_view *view, const struct explain_row *row)
{
	if (view->weight == WEIGHT_OUTLIERS)
		return 0;
	return view->weight == WEIGHT_USUAL ? row->base_faults
					    : row->slow_faults - row->base_faults;
}

static inline double view_majors(const struct explain_view *view, const struct explain_row *row)
{
	if (view->weight == WEIGHT_OUTLIERS)
		return 0;
	return view->weight == WEIGHT_USUAL ? row->base_majors
					    : row->slow_majors - row->base_majors;
}

void explanation_clean(struct explanation *explanation);
