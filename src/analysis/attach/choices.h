/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts what the options that name processes by name or number (--peer, --server, --client) met:
 * messages with such a process, and otherwise which processes there were.
 */
#pragma once

#include "model/summary.h"

/* Messages of at most this many names are counted one by one. */
#define CHOICE_NAMES_MAX 64

/* Zeros, with what the user wants: nothing was met. */
struct choice {
	const char
		*wanted; /* a number or a glob, borrowed; NULL or empty: the option is not given */
	struct choice_summary met;
	struct chosen_process name[CHOICE_NAMES_MAX];
	uint32_t name_cnt;
};

/*
 * Whether `wanted` means this process: a number, a glob of its name, or several of these between
 * commas. Nothing means none. A name may have commas itself.
 */
bool choice_means(const char *wanted, const struct end_summary *end);

/* A message whose ends are `one` and `other`, either of which may be NULL: it is not meant. */
void choice_meet(struct choice *choice, const struct end_summary *one,
		 const struct end_summary *other);

/* The names with most messages, if the choice matched none. */
void choice_finish(struct choice *choice, struct choice_summary *summary);
