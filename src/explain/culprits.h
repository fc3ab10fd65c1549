/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives culprits numbers, see culprit_folded(). The clients of a run have different names. */
#pragma once

#include "model/cause.h"

/* Culprits that are kept apart; further ones are CULPRIT_REST. */
#define CULPRITS_MAX 65536

/* Numbers of culprits that always exist. */
enum {
	CULPRIT_NOBODY, /* CAUSE_ITSELF, CAUSE_UNKNOWN, an interrupt that is not known */
	CULPRIT_REST,   /* there was no room for more */
	CULPRIT_FIRST
};

/* What the threads of one culprit have in common; `tid`: of interrupts and of threads without a
 * name. */
struct culprit_id {
	uint32_t class;
	uint32_t kind;
	uint32_t tid;
	uint32_t policy;
	uint32_t priority;
	uint32_t is_folded; /* `tid` is 0: several threads may have this name */
	char comm[RECORD_COMM_LEN];
};

struct culprits;

/* NULL: out of memory. */
struct culprits *culprits__new(void);
void culprits__free(struct culprits *culprits);

/* The number of the culprit, or CULPRIT_REST; -ENOMEM. */
int64_t culprits__find(struct culprits *culprits, const struct cause *cause);

/* With what its threads have in common, on several CPUs. */
struct blame culprits__blame(const struct culprits *culprits, uint32_t culprit);

/* Borrowed until the next culprits__find(). */
const struct culprit_id *culprits__id(const struct culprits *culprits, uint32_t culprit);
