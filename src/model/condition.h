/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines conditions, such as `runqueue>1ms and (blocked>2ms or latency>=5ms)`. A condition
 * compares quantities of one message, call or round with limits. src/cli/condition.c parses the
 * text.
 */
#pragma once

#include "model/component.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be compared. The first ones are the components, in the order of enum component. */
enum quantity {
	QUANTITY_LATENCY = NR_COMPONENTS, /* of a message */
	QUANTITY_LATE,       /* how long after it was due its exchange or round began (run) */
	QUANTITY_FIRST,      /* latency of the first message of a round */
	QUANTITY_NEXT,       /* latency of any other, less that of the one before it in the round */
	QUANTITY_LAST,       /* latency of the last message of a round */
	QUANTITY_ROUND_TRIP, /* of a call, and its parts */
	QUANTITY_REQUEST,
	QUANTITY_SERVICE,
	QUANTITY_RESPONSE,
	NR_QUANTITIES
};

/* What has quantities. */
enum quantity_owner {
	QUANTITY_OF_MESSAGE = 1,
	QUANTITY_OF_CALL = 2,
};

const char *quantity_name(enum quantity quantity); /* runqueue, round_trip */

static inline enum quantity_owner quantity_owner_of(enum quantity quantity)
{
	return quantity >= QUANTITY_ROUND_TRIP ? QUANTITY_OF_CALL : QUANTITY_OF_MESSAGE;
}

/* The quantities of one message or call. */
struct quantities {
	uint64_t ns[NR_QUANTITIES];
	uint32_t known; /* a bit for each: the others are not known, or it has none */
};

static inline void quantities_set(struct quantities *all, enum quantity quantity, uint64_t ns)
{
	all->ns[quantity] = ns;
	all->known |= 1u << quantity;
}

enum comparison {
	COMPARISON_ABOVE,
	COMPARISON_AT_LEAST,
	COMPARISON_BELOW,
	COMPARISON_AT_MOST,
	NR_COMPARISONS
};

extern const char *const comparison_names[NR_COMPARISONS]; /* > >= < <= */

enum condition_step_kind { STEP_COMPARE, STEP_AND, STEP_OR };

/* STEP_AND and STEP_OR take the results of the two steps before. */
struct condition_step {
	enum condition_step_kind kind;
	enum quantity quantity; /* the rest: STEP_COMPARE */
	enum comparison comparison;
	uint64_t limit_ns;
};

#define CONDITION_STEPS_MAX 64
#define CONDITION_TEXT_LEN  256

/* Without steps, it is never true. */
struct condition {
	char text[CONDITION_TEXT_LEN]; /* as it was typed */
	struct condition_step step[CONDITION_STEPS_MAX];
	uint32_t step_cnt;
	uint32_t owners; /* bits of enum quantity_owner: for these it can be true */
};

/* A comparison is false if its quantity is not known. */
bool condition_is_true(const struct condition *condition, const struct quantities *of);

/*
 * The quantity that decides: the first comparison in the text that is true. Valid if the condition
 * is true.
 */
enum quantity condition_decider(const struct condition *condition, const struct quantities *of);

/* `latency>DUR`, as --slower-than has it. */
struct condition condition_slower_than(uint64_t limit_ns);
