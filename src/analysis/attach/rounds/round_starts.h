/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers when a thread began its last rounds, in order to see whether the next one is late. The
 * usual distance is the median of the last ones:
 *
 *	start      start      start       due       start
 *	  |-- 10 ms --|-- 10 ms --|-- 10 ms --|-- late --|
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ROUND_STARTS_KEPT 15

/* Zero-initialised is empty. */
struct round_starts {
	uint64_t last_ns; /* start of the last round; 0: not known */
	uint64_t distance_ns[ROUND_STARTS_KEPT];
	uint64_t usual_ns; /* 0: too few are known */
	uint32_t cnt;      /* distances so far */
};

/* A round began. Returns the distance from the one before; 0: not known. */
uint64_t round_starts_add(struct round_starts *starts, uint64_t start_ns);

/* Rounds may have begun unseen. */
void round_starts_forget(struct round_starts *starts);

/* Whether a round that begins now may count as late. */
bool round_starts_is_late(const struct round_starts *starts, uint64_t start_ns);

/* When the next round is due, if that is known. */
uint64_t round_starts_due(const struct round_starts *starts);
