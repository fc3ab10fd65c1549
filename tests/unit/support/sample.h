/* SPDX-License-Identifier: BSD-2-Clause */
/* Results made by hand, for the tests of what shows them. */
#ifndef IPCTRACE_TESTS_SAMPLE_H
#define IPCTRACE_TESTS_SAMPLE_H

#include "model/summary.h"
#include "report/formats.h"

#define SAMPLE_ROUNDS 100

/* A traced push over uds, 64 bytes every 10 ms, of SAMPLE_ROUNDS messages per client. */
struct run_info sample_info(uint32_t clients);

/* A message of a round with every component, and blame that adds up to its run queue. */
struct message sample_message(uint32_t client, uint64_t round);

/* No message yet. */
void sample_begin(struct summary *summary, uint32_t clients);

/* A matched message of these components: into latency, components, client, path and integrity. */
void sample_add(struct summary *summary, uint32_t client,
		const uint64_t component_ns[NR_COMPONENTS]);

/* A whole run in which nothing went wrong. */
void sample_summary(struct summary *summary, uint32_t clients);

/* The same run as its clients' own stamps show it. */
void sample_untraced(struct summary *summary, uint32_t clients);

/*
 * A whole run of another pattern: SAMPLE_ROUNDS messages, or exchanges, of each client, one right
 * after the other, 1000 times as many in a second. Later clients take longer.
 */
void sample_paced(struct summary *summary, const char *pattern, uint32_t clients);

/*
 * An attach: SAMPLE_ROUNDS calls of a client over a unix stream, so as many messages on each of its
 * two channels, and 3 channels with 10 messages each that were folded into one.
 */
void sample_attach(struct summary *summary);
void sample_free(struct summary *summary);

/* A report of these runs in a format; to be freed. */
char *sample_show(const char *format, const struct summary *const *run, size_t cnt);

/* The same of one summary. */
char *sample_show_one(const char *format, const struct summary *summary);

/* The first error of a report whose output is full. */
int sample_show_full(const char *format, const struct summary *summary);

#endif
