/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds how much time the host of a virtual machine took from its CPUs (--level deep). A STOLEN
 * record says how much of the time between two switches of a CPU that was, not when. STOLEN records
 * may be added in any order.
 */
#pragma once

#include "bpf/deep.h"

#include <stddef.h>
#include <stdint.h>

/* In a stretch of time on one CPU. */
struct steal {
	uint64_t certain_ns;  /* between switches that are both in the stretch */
	uint64_t possible_ns; /* more: it may lie in the stretch, or before or after it */
};

struct steals;

struct steals *steals__new(void); /* NULL: out of memory */
void steals__free(struct steals *steals);

/* 0 or -ENOMEM. */
int steals__add(struct steals *steals, const struct record_stolen *record);

/*
 * What was taken from the CPU in [from_ns, to_ns], while a traced thread ran there or waited for
 * it. None is also what a kernel says that does not know.
 */
struct steal steals__within(struct steals *steals, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);

/* How many records are kept. */
size_t steals__cnt(const struct steals *steals);

/* Forgets those that end before `horizon_ns`. */
void steals__trim(struct steals *steals, uint64_t horizon_ns);
