/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the GRAME paper's figures for one client on an idle machine. */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_PUBLISHED_H
#define IPCTRACE_REPORT_TEXT_TABLES_PUBLISHED_H

#include "model/summary.h"
#include "report/text/layout.h"

/* A row of this run's figures. */
struct own_figures {
	const char *title;
	double width_ns;
	double medium_ns;
	double next_ns;                    /* NAN: does not apply */
	const struct peaks_summary *peaks; /* NULL: does not apply */
};

/* The heading and the first `cnt` of the published rows. */
void text_published(const struct text *text, int cnt);

/* A row below text_published(). */
void text_own_figures(const struct text *text, const struct own_figures *own);

#endif
