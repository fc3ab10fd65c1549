/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the text report inside of the page: the same words as those of -f text. */
#pragma once

#include "report/format.h"
#include "report/memstream.h"
#include "report/markup.h"

#include <locale.h>

struct plain_report {
	struct memory memory;
	struct report *report; /* NULL: it has ended, or did not begin */
	bool is_run_matrix;
	locale_t utf8;
};

/* 0 or -errno. plain_report_clean() follows. */
int plain_report_begin(struct plain_report *plain, const struct report_style *style);

/*
 * The report of a run matrix compares the runs, and leaves out why each of them has slow ones. 0 or
 * -errno.
 */
int plain_report_add(struct plain_report *plain, const struct illustration *illustration);

/* Ends the report. 0 or -errno. */
int plain_report_finish(struct plain_report *plain, bool is_cut);

/* The whole report as an element that can be opened. */
void plain_report_write(const struct plain_report *plain, struct markup *markup);

void plain_report_clean(struct plain_report *plain);
