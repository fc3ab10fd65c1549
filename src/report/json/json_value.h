/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON values of the model's quantities. Each is a new reference, or NULL without memory; what is
 * not known is JSON's null.
 */
#ifndef IPCTRACE_REPORT_JSON_JSON_VALUE_H
#define IPCTRACE_REPORT_JSON_JSON_VALUE_H

#include "model/summary.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Writes a value as bytes that no terminal obeys: ASCII without DEL, everything else as \uXXXX.
 * `flags` are jansson's. -1: `put` said so, or there is no memory.
 */
int json_value_dump(const json_t *value, size_t flags, json_dump_callback_t put, void *ctx);

/* The same to a stream: 0 or -errno. */
int json_value_write(const json_t *value, size_t flags, FILE *out);

/* null for NULL and "". Bytes that are not ASCII become '?' if the text is not valid UTF-8. */
json_t *json_value_text(const char *text);

/* null for what is no finite number. */
json_t *json_value_real(double number);

/* `number` if `known`, else null. */
json_t *json_value_integer(uint64_t number, bool known);

/* The contract's STAT; an empty stat has a count of 0 and null for everything else. */
json_t *json_value_stat(const struct stat *stat);

/* {component: mean}, of messages; null if nothing was added up. */
json_t *json_value_component_means(const struct component_sum *sum, const struct run_info *info);

/* The same of rounds: also in an attach, what comes before a message's send is its dispatch. */
json_t *json_value_round_means(const struct component_sum *sum, const struct run_info *info);

/*
 * [{"call","ns",WHAT,"share"}], longest first: what threads slept in, how long in all, in how many
 * messages or calls. Numbers of system calls are those of `arch`.
 */
json_t *json_value_blocked_calls(const struct blocked_calls *waits, const char *arch,
				 const char *what);

/* {"class","comm","tid","ns","outside"} */
json_t *json_value_blame(const struct blame *blame);

#endif
