/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the scripts of processes that are interpreters, from SCRIPT records. When the table is
 * full, the oldest entry is forgotten, and that of a target only if there is no other.
 */
#pragma once

#include "model/summary.h"

#include <stdbool.h>

#define SCRIPT_BOOK_MAX 4096
_Static_assert(SCRIPT_BOOK_MAX < SUMMARY_SCRIPTS_MAX, "scripts");

struct script_book;

struct script_book *script_book__new(void); /* NULL: out of memory */
void script_book__free(struct script_book *book);

/* The last record of a process counts. 0 or -ENOMEM. */
int script_book__add(struct script_book *book, const struct record_script *script, bool is_target);

/* Fills in summary->script, which the summary owns. 0 or -ENOMEM. */
int script_book__finish(const struct script_book *book, struct summary *summary);
