/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of a simulation's tape, with records in another order or left out. To be freed. */
#pragma once

#include "support/build.h"

/* A kind of record that can be lost. */
typedef bool record_kind_fn(const struct record *record);

struct tape tape_shuffled(const struct tape *tape, uint64_t seed);

/* Watermarks at random places, each no younger than any event that is still to come. */
struct tape tape_watermarked(const struct tape *tape, uint64_t seed);

/*
 * Without `holes` records of a kind, or all of them, numbered as the kernel would have done then.
 */
struct tape tape_damaged(const struct tape *tape, record_kind_fn *is_kind, size_t holes,
			 uint64_t *seed);
