/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of HTML and SVG that a report has written. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Every element is closed in the order in which it was opened, and attributes are in quotes. The
 * contents of <style> and <script> are skipped.
 */
void assert_well_formed(const char *text);

/* No id stands there twice, and what a link or a clip path refers to is there. */
void assert_ids(const char *text);

/* How often `part` stands in the text. */
size_t count_of(const char *text, const char *part);

/* The sum of all numbers behind `name="`, as in data-ns="12". */
uint64_t sum_of_attribute(const char *text, const char *name);

/* The part of the text from `begin` up to the next `end`. Fails without it. */
char *cut_out(const char *text, const char *begin, const char *end);
