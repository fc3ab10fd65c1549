/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the JSON of rows, culprits and units, of which that of an explanation is made. */
#pragma once

#include "model/explanation.h"
#include "report/json/summary_fields.h"

extern const struct members component_row_object, culprit_row_object, culprit_object,
	typical_message_object, typical_call_object, typical_connection_object, cause_object,
	moment_object;

/* The fields of another table, as part of this one. */
#define PART_OF(table) STRUCT, .at = 0, .name = "", .of = &(table)

/* Makes of struct explanation its rows, each with those that follow it. */
json_t *all_rows_json(const struct json_place *place);

/* Makes of it one unit in the fields of ndjson, with its causes and moments. */
json_t *typical_json(const struct json_place *place);

/* The causes of a unit, each with those that follow it. */
json_t *causes_json(const struct json_place *place, const struct unit *unit);

/* A list of `cnt` moments. */
json_t *moments_json(const struct json_place *place, const struct moment *moment, uint32_t cnt);

/* null for a component: nothing but that is to blame. */
json_t *explain_culprit_json(const struct json_place *place, const struct explain_row *row);
