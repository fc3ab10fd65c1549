/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parts of the page that are about one run. */
#pragma once

#include "report/format.h"
#include "report/markup.h"

/* Where a run stands in the page. */
struct run_place {
	const char *prefix; /* of all ids: "", or "run2-" */
	int level;          /* of headings: 2 for <h2> */
};

/* What was measured, what was found, and whether to trust it. */
void run_verdict(struct markup *markup, const struct illustration *illustration);
void run_trust(struct markup *markup, const struct summary *summary, const struct run_place *place);

/* The numbers, why slow ones are slow, and the figures. 0 or -errno. */
int run_results(struct markup *markup, const struct illustration *illustration,
		const struct run_place *place);

/* Links to the parts that run_results() writes. */
void run_contents(struct markup *markup, const struct illustration *illustration);

/* The figures that show the run, or the runs. 0 or -errno. */
int figures_write(struct markup *markup, const struct illustration *illustration,
		  const struct run_place *place);

/* An entry of the contents: a link to the part of the page with this id. */
void contents_item(struct markup *markup, const char *id, const char *title);

/* Links to figures. */
void contents_figures(struct markup *markup, const struct illustration *illustration);
