/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table from a channel and a position in it to a number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Further ones are left out. */
#define NUMBER_TABLE_MAX (1u << 20)

struct numbered;

/* Zero-initialised is empty. */
struct number_table {
	struct numbered *first;
};

void number_table_clean(struct number_table *table);

/* 0 or -ENOMEM. */
int number_table_add(struct number_table *table, uint32_t channel, uint64_t position,
		     uint64_t number);

/* False: there is none. */
bool number_table_find(const struct number_table *table, uint32_t channel, uint64_t position,
		       uint64_t *number);
