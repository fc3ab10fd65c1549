/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the text report that hold for every report. */
#pragma once

#include "model/summary.h"

#include <stddef.h>

#define PAGE_WIDTH 80

/* Replaces all white space by single blanks, in place: line breaks do not matter then. */
char *unwrapped(char *text);

/* No "nan" and no "inf". */
void assert_numbers_are_numbers(const char *text);
void assert_width(const char *text, size_t width);

/* The unwrapped report of sample_summary(), of a run and of a run matrix. */
char *shown_sample(uint32_t clients);
char *shown(const struct summary *summary);
char *shown_run_matrix(const struct summary *const *run, size_t cnt);

/* With --published. */
char *shown_published(const struct summary *const *run, size_t cnt);

void assert_shows(const struct summary *summary, const char *part);
void assert_shows_not(const struct summary *summary, const char *part);

/* The row of a distribution: "label mean sd p50 ...", in microseconds. */
void assert_stat_row(const char *text, const char *label, const struct stat *stat);
