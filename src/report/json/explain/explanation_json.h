/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that build the JSON of an explanation. A function returns a new reference, or
 * NULL if memory is short.
 */
#pragma once

#include "model/explanation.h"
#include "model/members/members.h"

#include <jansson.h>

extern const char *const cause_role_names[NR_CAUSE_ROLES];
extern const char *const outcome_names[NR_EXPLAIN_OUTCOMES];
extern const char *const stack_kind_names[NR_STACK_KINDS];

/* The tables of rows, culprits and units. */
extern const struct members component_row_object, culprit_row_object, culprit_object,
	typical_message_object, typical_call_object;

/*
 * A unit in the fields of ndjson, with its "causes", and those that follow each cause in its
 * "followed".
 */
json_t *explain_unit_json(const struct run_info *info, const struct unit *unit);

/* What threads did: [{"from_ns","to_ns","tid","cpu","state",...}] */
json_t *explain_moments_json(const struct run_info *info, const struct moment *moment,
			     uint32_t cnt);

/* {"class","comm","tid","scheduling","outside"}; null if nothing but the component is to blame. */
json_t *explain_culprit_json(enum cause_role role, const struct blame *by);

/* Sets "role", "call", "from_interrupt" and "cpu", which rows, causes and moments have. 0 or -1. */
struct explain_manner {
	enum cause_role role;
	enum component cost;
	bool from_interrupt;
	uint16_t call;
	uint32_t cpu; /* or BLAME_CPU_ */
};
int explain_set_manner(json_t *object, const struct run_info *info,
		       const struct explain_manner *manner);

/* The stacks of a row: [{"state","count","kernel","user",...}] */
json_t *explain_stacks_json(const struct explanation *explanation, uint32_t row);
