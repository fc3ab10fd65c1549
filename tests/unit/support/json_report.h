/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the JSON report back, for the tests of its fields. */
#pragma once

#include "support/sample.h"

#include <jansson.h>

/* Releases the value when the test ends, and returns it. */
json_t *json_of_test(json_t *json);

/* Strict JSON: no name twice, and nothing after the value but the end of the line. */
json_t *json_parse(const char *text);

/* The JSON report of a summary, and of sample_summary(). */
json_t *json_report(const struct summary *summary);
json_t *json_report_of_sample(uint32_t clients);

/* "rounds.first_latency_ns.mean", "clients.0.comm". Borrowed; NULL: there is no such member. */
json_t *json_at(json_t *value, const char *path);

/* These fail the test if the member is absent or of another type. */
double json_number_at(json_t *json, const char *path);
void assert_null_at(json_t *json, const char *path);
void assert_text_at(json_t *json, const char *path, const char *expected);

/* The distribution has the figures of `stat`, in the fields that the contract names. */
void assert_stat_at(json_t *json, const char *path, const struct stat *stat);

/*
 * Types: i: integer, n: number, s: text, o: object, a: array, b: boolean, S: an object with the
 * fields of a distribution, 0: null.
 */
bool json_has_type(json_t *value, char type);

/* A type and a path each: "S latency_ns". */
void assert_types(json_t *json, const char *const *typed, size_t cnt);
