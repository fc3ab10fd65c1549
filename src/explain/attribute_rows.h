/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the values of attributes, and lists those that set the slow units apart. */
#pragma once

#include "explain/values.h"

#define ATTRIBUTE_SAMPLE_MAX 2048

/* Some units of one side, with the number of their value of each attribute. */
struct attribute_sample {
	uint32_t number[ATTRIBUTE_SAMPLE_MAX][NR_ATTRIBUTES];
	uint32_t cnt;
};

/* By enum explain_side. */
struct attribute_counts {
	uint64_t units[2];
	uint64_t clusters[2];
	struct attribute_sample sample[2];
};

/* Fills in the list of attributes, and how many values were looked at. 0 or -ENOMEM. */
int attribute_rows(struct values *values, const struct attribute_counts *counts,
		   struct explanation *explanation);
