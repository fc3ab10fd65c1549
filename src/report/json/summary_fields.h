/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what JSON has besides the members of structs, and how it is made. */
#pragma once

#include "report/json/json_members.h"

/* A table of an object that is not made of a struct by its table. */
#define SHAPE(tag, ...)                                                                            \
	const struct members tag##_object = {                                                      \
		.name = #tag, .says = ("" __VA_ARGS__), ROWS(tag##_rows)}

/* The documents, or lines. */
extern const struct members explanation_object, explain_sweep_object, sweep_object, header_object,
	call_object, last_object, list_object, doctor_object;

/* The further tables of all structs; `of` of the last one is NULL. */
extern const struct json_more json_more[];

/* Rows of a further table. */
#define MORE(tag) const struct members tag##_more = {.name = #tag "_more", ROWS(tag##_more_rows)}

/* A table of an object of its own that JSON has of a struct. */
#define OBJECT(tag, of, ...)                                                                       \
	const struct members tag##_object = {.name = #tag,                                         \
					     .says = ("" __VA_ARGS__),                             \
					     .size = sizeof(struct of),                            \
					     ROWS(tag##_rows)}

extern const struct members blame_more, blame_summary_more, end_summary_more, calls_summary_more,
	service_summary_more, answer_parts_more, channel_summary_more, chain_hop_more,
	failing_summary_more, sleeper_summary_more;
extern const struct members process_object, slept_messages_object, slept_calls_object,
	slept_sleeps_object;

/* An object with a value for each component. */
#define COMPONENTS   NAMES_OF(components, NR_COMPONENTS), .is_each = true

#define OUTSIDE_SAYS "a thread outside of the tracer's PID namespace"

/* Makes of struct blame whether it is such a thread. */
json_t *blame_outside_json(const struct json_place *place);

/* Makes of struct component_sum the mean of each component. Those of rounds have a dispatch also in
 * an attach. */
json_t *means_json(const struct json_place *place);

/* Makes of struct blocked_calls a list of objects, which the row names. */
json_t *slept_json(const struct json_place *place);

/* Makes of struct blame_summary the entries of a list, if the run was traced. */
json_t *blames_json(const struct json_place *place);
