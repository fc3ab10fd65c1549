/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that build and write JSON values. A function that builds a value returns a
 * new reference, or NULL if memory is short. An unknown value becomes null.
 */
#pragma once

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

/* {component: mean}; null without messages. Rounds have a dispatch also in an attach. */
json_t *json_value_means(const struct component_sum *sum, const struct run_info *info,
			 bool has_dispatch);

/*
 * [{"call","ns",WHAT,"share"}], longest first: the syscalls that threads slept in, the total time,
 * and in how many messages or calls. The syscall numbers are those of `arch`.
 */
json_t *json_value_blocked_calls(const struct blocked_calls *blocked, const char *arch,
				 const char *what);

/* The same; null for a run, as only an attach traces which syscalls threads sleep in. */
json_t *json_value_blocked_on(const struct blocked_calls *blocked, const struct run_info *info,
			      const char *what);

/* A distribution; null unless messages were due at a fixed rate. */
json_t *json_value_due(const struct stat *due);

/* The culprits of waits for a CPU. The shares are those of `runqueue_ns`. */
json_t *json_value_blames(const struct summary *summary, const struct blame_summary *blame,
			  uint32_t cnt, double runqueue_ns);

/* {"pid","tid","comm","outside"} */
json_t *json_value_end(const struct end_summary *end);

/* The same with its "script", null without one. */
json_t *json_value_process(const struct summary *summary, const struct end_summary *end);

/* {"class","comm","tid","ns","outside"} */
json_t *json_value_blame(const struct blame *blame);

/* The objects "host" and "workload", which the headers of all schemas share. */
json_t *host_json(const struct host *host);
json_t *workload_json(const struct run_info *info); /* null for an attach */

/* When tracing began, by the wall clock and by the clock of the messages; null if not known. */
json_t *begin_json(const struct run_info *info);

/* The same, and for how long, with the rates of an attach. */
json_t *tracing_json(const struct summary *summary);

/* Which channels targets had when tracing ended; null if that was not looked for. */
json_t *found_json(const struct summary *summary);
json_t *choices_json(const struct summary *summary);

/* For how long the host took CPUs away; null if that is not known. */
json_t *steal_json(const struct summary *summary);

/* The receivers that messages waited for to make room; null if that is not known. */
json_t *room_json(const struct summary *summary);

/* Rounds, their period and what missed it; null without any. */
json_t *rounds_json(const struct summary *summary);

/* Messages that went on from process to process; empty for a run. */
json_t *chains_json(const struct summary *summary);

/* Requests and their answers; null without any. */
json_t *calls_json(const struct summary *summary);

/* The object of schema ipctrace.summary/1. */
json_t *summary_json(const struct summary *summary);
