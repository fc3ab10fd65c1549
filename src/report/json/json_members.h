/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes structs as JSON by their tables (model/members). What JSON has besides the members of a
 * struct stands in a further table, whose rows have a function or are members of other structs.
 */
#pragma once

#include "model/members/members.h"
#include "model/summary.h"

#include <jansson.h>

/* The further table of a struct. */
struct json_more {
	const struct members *of;
	const struct members *more;
};

/* Where the struct stands that is written. */
struct json_place {
	const struct json_more *more; /* all further tables; `of` of the last one is NULL */
	const struct run_info *info;
	const struct summary *summary; /* that it is a part of; NULL: of none */
	const void *of;                /* the struct */
	const struct member *member;   /* its member that is written */
	const struct json_place *parent;
	uint32_t index; /* in a list */
	double whole;   /* what the shares of its entries are of */
};

/* The address of this member. */
static inline const void *json_value_at(const struct json_place *place)
{
	return (const char *)place->of + place->member->at;
}

/* The object of the struct at `of`, which is a part of the one at `place`. */
json_t *json_members(const struct json_place *place, const struct members *table, const void *of);

/* The array of the entries of a member. */
json_t *json_members_list(const struct json_place *place, const struct member *member);

/* Passes each row that JSON has, in the order of JSON, with the struct that it is of. */
typedef void json_row_fn(void *ctx, const struct member *member, const char *of);
void json_members_each(const struct json_more *more, const struct members *table, const char *of,
		       json_row_fn *row, void *ctx);
