/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parts of the page, in its order. */
#pragma once

#include "report/figure.h"
#include "report/markup.h"
#include "report/words/head.h"
#include "report/words/paragraph.h"

/* The text; "12.5 us" is "12.5 µs" on a page, and a number keeps together with its unit. */
void words_put(struct markup *markup, const char *text);

/* An element with these words. Silent if there are none. `class` may be NULL. */
void words_element(struct markup *markup, const char *element, const char *class,
		   const struct paragraph *words);

/* A term of a <dl> and what is said about it. Silent if there are no words. */
void words_term(struct markup *markup, const char *term, const char *class,
		const struct paragraph *words);

/* Opens the page, which has its style sheet and its script in it. `title`: of the window. */
void document_begin(struct markup *markup, const char *title);

/* Closes it, with the script at its end. */
void document_end(struct markup *markup);

/* Where a run stands in the page. */
struct run_place {
	const char *prefix; /* of all ids: "", or "run2-" */
	int level;          /* of headings: 2 for <h2> */
};

/* A link to the part of the page with the id that `format` makes. */
__attribute__((format(printf, 3, 4))) void link_put(struct markup *markup, const char *words,
						    const char *format, ...);

/* What was measured: the first lines of the terminal's report. */
void run_headline(const struct summary *summary, struct head_lines *lines);

/* What was found, in sentences and four figures. */
void run_verdict(struct markup *markup, const struct illustration *illustration);

/* Whether to trust it, in two sentences. */
void run_trust_line(struct markup *markup, const struct summary *summary);

/*
 * A part of the page that is folded until a reader opens it, or follows a link to what is in it.
 * `title` may stand beside a `gist`, which may be NULL. markup_close() follows.
 */
void fold_open(struct markup *markup, const struct run_place *place, const char *id,
	       const char *title, const char *gist);

/*
 * The figures at a glance, then, folded: whether to trust it, the numbers, why slow ones are slow,
 * and all other figures. 0 or -errno.
 */
int run_results(struct markup *markup, const struct illustration *illustration,
		const struct run_place *place);

/* Links to the parts that run_results() writes. */
void run_contents(struct markup *markup, const struct illustration *illustration);

/*
 * Latencies, rounds and calls, and the components of the latency. Cells have their exact numbers in
 * data- attributes, as in -f json.
 */
void numbers_write(struct markup *markup, const struct summary *summary);

/* The figures that show the run, or the runs: those at a glance, or the others. 0 or -errno. */
int figures_write(struct markup *markup, const struct illustration *illustration,
		  const struct run_place *place, bool at_a_glance);

/*
 * The slowest units in full, which the bars of the figure "slowest" link to: a hidden section for
 * each of them, which is shown when it is the target of a link. `prefix` of their ids. `heading`:
 * the element of their headings, for example "h3". `back`: the id of the figure that links to them.
 */
void units_write(struct markup *markup, const struct illustration *illustration, const char *prefix,
		 const char *heading, const char *back);

/* Whether all runs are complete, and that tracing has its cost. */
void matrix_trust(struct markup *markup, const struct run_points *points);

/* What run `i` differs in from the others, "4 clients over tcp, run 2". */
void matrix_run_title(const struct run_points *points, size_t i, struct paragraph *title);

/* The larger, the slower run `i` is, among these; -INFINITY: it is not known. */
double matrix_slowness(const struct run_points *points, size_t i);

/* The slowest run; the first one if it is not known how slow they are. */
size_t matrix_slowest_run(const struct run_points *points);

/* Links to the parts of the page, and to "each-run". */
void matrix_contents(struct markup *markup, const struct run_points *points);
