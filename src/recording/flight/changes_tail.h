/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the last changes of state of a thread. The state before the first change of a record is
 * that of the change before, which an older record has.
 */
#pragma once

#include "bpf/record.h"

#include <stddef.h>

/* A wait that was under way may have so many, and be known from its begin. */
#define CHANGES_TAIL_MAX 16

/* Zero-initialised is empty. */
struct changes_tail {
	uint64_t base_ns; /* as in struct record_changes */
	uint64_t first;
	uint64_t change[CHANGES_TAIL_MAX];
	size_t cnt;
};

/* Adds packed changes, as in the records. Older ones than those here are left out. */
void changes_tail_add(struct changes_tail *tail, const uint64_t *change, size_t cnt, uint64_t first,
		      uint64_t base_ns);

#define CHANGES_TAIL_WORDS (RECORD_WORDS(struct record_changes) + CHANGES_TAIL_MAX)

/* Makes a CHANGES record in `word`, of CHANGES_TAIL_WORDS. */
const struct record *changes_tail_record(const struct changes_tail *tail, uint32_t tid,
					 uint64_t *word);
