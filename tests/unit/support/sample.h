/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Summaries and messages made by hand, for the tests of reports. A summary and the text of a report
 * last until the end of the test.
 */
#pragma once

#include "model/summary.h"
#include "report/format.h"

#define SAMPLE_ROUNDS 100

/* A traced push over uds, 64 bytes every 10 ms, of SAMPLE_ROUNDS messages per client. */
struct run_info sample_info(uint32_t clients);

/* A message of a round with every component, and blame that adds up to its run queue. */
struct message sample_message(uint32_t client, uint64_t round);

/* A summary without messages. */
struct summary *sample_begin(uint32_t clients);

/* Adds a matched message to latency, components, client, path and integrity. */
void sample_add(struct summary *summary, uint32_t client,
		const uint64_t component_ns[NR_COMPONENTS]);

/* A complete run without losses. */
struct summary *sample_summary(uint32_t clients);

/* The same run without tracing: only the clients' stamps are known. */
struct summary *sample_untraced(uint32_t clients);

/*
 * A complete run of another pattern: SAMPLE_ROUNDS messages or exchanges of each client without a
 * pause, at a rate 1000 times as high. Later clients need longer.
 */
struct summary *sample_paced(const char *pattern, uint32_t clients);

/*
 * An attach: SAMPLE_ROUNDS calls of a client over a unix stream, so as many messages on each of two
 * channels. Three more channels with 10 messages each are folded into one entry.
 */
struct summary *sample_attach(void);

/* Adds to it: two services, of which the second one had several requests open. */
void sample_services(struct summary *summary);

/* An attach traced for 10 s, from 06:31:48 UTC, until --duration was over. */
void sample_times(struct summary *summary);

/* What was found at the end of an attach: some channels of one target. */
void sample_found(struct summary *summary);

/* An option that names processes and met 75,000 messages of others. */
void sample_choice(struct summary *summary, enum choice_kind kind, const char *wanted);

/* No call has been timed any more. */
void sample_forget_calls(struct summary *summary);

/* Adds to it: messages waited for room at two receivers. */
void sample_room(struct summary *summary);

/* Adds to an attach: a script of its server, relations of culprits, and steal of two CPUs. */
void sample_names(struct summary *summary);

/* The report of these runs in a format. */
char *sample_show(const char *format, const struct summary *const *run, size_t cnt);

/* The same in another style; `style.out` is ignored. */
char *sample_show_styled(const char *format, struct report_style style,
			 const struct summary *const *run, size_t cnt);

/* The same for one summary. */
char *sample_show_one(const char *format, const struct summary *summary);

/* The first error of a report to /dev/full. */
int sample_show_full(const char *format, const struct summary *summary);
