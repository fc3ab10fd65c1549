/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what checksums cannot show: that a recording makes sense. A forged one has right
 * checksums, too.
 */
#pragma once

#include "model/spec.h"
#include "bpf/record.h"

#include <stdbool.h>

/* What was read of a run so far. */
struct plausible;

/* NULL: out of memory. */
struct plausible *plausible__new(const struct run_info *info);

/* NULL allowed. */
void plausible__free(struct plausible *plausible);

/*
 * Whether the next record of the run makes sense: its times and counts are possible, and the kept
 * statistics agree with each other and are there when the run ends.
 */
bool plausible__record(struct plausible *plausible, const struct record *record);
