/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the leads of an explanation: the culprits to look at first. A lead adds up the rows of one
 * culprit, which may have kept the slow units waiting in several components.
 */
#pragma once

#include "model/explanation.h"

#include <stdbool.h>
#include <stdint.h>

struct lead {
	const struct explain_row *row; /* the one with most; borrowed */
	double more_ns;                /* of all its rows: part of the difference of the means */
	uint64_t slow_units;           /* in which the culprit is found: so many, or more */
	uint64_t base_units;
	uint32_t rows;
	bool is_mixed;  /* both ends waited for it */
	bool has_parts; /* in several parts of calls */
};

#define LEADS_MAX 3

/* How much more the slow units have of it. */
static inline double row_more_ns(const struct explain_row *row)
{
	return row->slow_ns - row->base_ns;
}
