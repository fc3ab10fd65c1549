/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the words for causes: a clause for a sentence, and a label for a table. A cause is a row
 * of an explanation, or what one unit spent its time for.
 */
#pragma once

#include "model/explanation.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#define CULPRIT_LEN (2 * NAME_LEN)
#define CLAUSE_LEN  (4 * NAME_LEN)

/* A cause or moment of one unit as a row, for the functions below. Its means are 0. */
struct explain_row row_of_cause(const struct cause *cause);
struct explain_row row_of_moment(const struct moment *moment);

/* "hog (pid 4711, RR 50)", "hog (3 threads, RR 50)", "net_rx (softirq 3)", "ipctrace itself". */
const char *row_culprit(const struct explain_row *row, char words[CULPRIT_LEN]);

/* Whether another thread, an interrupt or the like is to blame, and known. */
bool row_has_culprit(const struct explain_row *row);

/* Whether the system call is known in which the thread sleeps, or runs for long. */
bool row_has_call(const struct explain_row *row);

/* What waits: "the server", "the receiver", "the last client". */
const char *row_subject(const struct explanation *explanation, const struct explain_row *row);

/*
 * "the receiver waits for CPU 1 behind hog (pid 4711, RR 50)". For a cause that follows another
 * one, the subject is "it".
 */
void row_clause(const struct run_info *info, const struct explain_row *row, const char *subject,
		char clause[CLAUSE_LEN]);

/* How much more the slow units have of it. */
static inline double row_more_ns(const struct explain_row *row)
{
	return row->slow_ns - row->base_ns;
}

/* "run queue", "service: blocked" */
const char *row_component(const struct explain_row *row, char title[NAME_LEN]);
#define ROW_COMPONENT(row) row_component((row), (char[NAME_LEN]){0})

/*
 * The culprit under its component: "behind hog (pid 4711, RR 50)", "in futex until redis (12) wakes
 * it", "itself", "not known". Without details if it has more than `width` columns.
 */
void row_label(const struct run_info *info, const struct explain_row *row, int width,
	       char label[CLAUSE_LEN]);

/*
 * The same with its component if the cause follows another one: it has no row of its own above it.
 */
void culprit_label(const struct run_info *info, const struct explain_row *row, int width,
		   char label[CLAUSE_LEN]);

/* `text` cut to `width` columns, with "..." if it is longer. */
void label_cut(const char *text, int width, char label[CLAUSE_LEN]);

/* "812.5 us", "12.3 ms", "10.000 s" */
#define SPAN_LEN 24
const char *span_text(double ns, char text[SPAN_LEN]);
#define SPAN(ns) span_text((ns), (char[SPAN_LEN]){0})

/* "message 7/1042 over uds, 64 bytes, round 12, client 3", "call 5, request message ..." */
void unit_identity(struct paragraph *line, const struct unit *unit);

/* "server (tid 4711) on CPU 0 to client (pid 4712, tid 4713) on CPU 1" */
void unit_parties(struct paragraph *line, const struct unit *unit);

/* "06:24:44.214 (3.214 s)": the wall clock, and the time since tracing began. */
#define INSTANT_LEN 64
const char *instant_words(const struct run_info *info, uint64_t ns, char text[INSTANT_LEN]);
#define INSTANT(info, ns) instant_words((info), (ns), (char[INSTANT_LEN]){0})
