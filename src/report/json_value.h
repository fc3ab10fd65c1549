/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that build and write JSON values. A function that builds a value returns a
 * new reference, or NULL if memory is short. An unknown value becomes null.
 */
#pragma once

#include "model/explanation.h"
#include "model/summary.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Writes a value as bytes that no terminal interprets: ASCII without DEL, all else as \uXXXX.
 * `flags` are those of jansson. Returns -1 if `put` does, or without memory.
 */
int json_value_dump(const json_t *value, size_t flags, json_dump_callback_t put, void *ctx);

/* The same to a stream. Returns 0 or -errno. */
int json_value_write(const json_t *value, size_t flags, FILE *out);

/* null for NULL and "". In text that is not valid UTF-8, non-ASCII bytes become '?'. */
json_t *json_value_text(const char *text);

/* null unless finite */
json_t *json_value_real(double number);

/* A number as jansson has it. The sums of a forged recording may be larger: they become its
 * largest. */
json_int_t json_value_int(uint64_t number);

/* null unless `known` */
json_t *json_value_integer(uint64_t number, bool known);

/* `value`, or after an error NULL: then it is freed. */
json_t *json_value_whole(json_t *value, int error);

/* A distribution. An empty one has count 0 and null for all other fields. */
json_t *json_value_stat(const struct stat *stat);

/* The object "host", which all schemas share. */
json_t *host_json(const struct host *host);

/* The object of schema ipctrace.summary/1. */
json_t *summary_json(const struct summary *summary);

/* The object of schema ipctrace.explain/1. */
json_t *explanation_json(const struct explanation *explanation);
