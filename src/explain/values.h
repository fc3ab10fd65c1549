/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives the values of attributes numbers, and counts them: CPU 1, path `slept`, channel 7, ...
 * Sizes and times are put into classes.
 */
#pragma once

#include "explain/side.h"
#include "model/explanation.h"

/* Values that are kept apart; units with further ones count as if their value were not known. */
#define VALUES_MAX 65536

/* The attribute of this unit is not known, or of no interest. */
#define VALUE_NONE UINT32_MAX

/* What a value is found by. */
struct value_key {
	uint64_t number; /* or the start of a class, or what stands for a name */
	uint64_t attribute;
};

struct value {
	struct value_key key;
	bool has_name_only;
	char comm[RECORD_COMM_LEN]; /* of a process or thread; the first that was seen */
	uint64_t least;             /* of the sizes or times in the class */
	uint64_t most;
	uint64_t units[2];  /* with this value, by enum explain_side */
	double clusters[2]; /* see attributes.h */
	struct episode_count episodes;
};

struct values;

/*
 * `mode`: what a client is. `by_name`: the units are of two recordings. Then processes and threads
 * are known by their names, and channels of an attach, whose numbers differ, are not looked at.
 * NULL: out of memory.
 */
struct values *values__new(enum mode mode, bool by_name);
void values__free(struct values *values);

/* Fills in the number of the unit's value of each attribute, or VALUE_NONE. 0 or -ENOMEM. */
int values__of(struct values *values, const struct unit *unit, uint32_t number[NR_ATTRIBUTES]);

uint32_t values__count(const struct values *values);

/* Borrowed until the next values__of(). */
struct value *values__get(struct values *values, uint32_t number);

/* In words, without the name of its attribute: "slept", "64 bytes", "redis-cli (1234)". */
void value_text(const struct value *value, char text[ATTRIBUTE_VALUE_LEN]);
