/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes and reads the statistics of a recording that keeps only the records of some windows of
 * time (--trigger, --slower-than). The statistics are those of all messages, and the records of the
 * windows alone would not suffice for them.
 */
#pragma once

#include "model/summary.h"

/*
 * A file may have been forged. So a number that is read is small enough for JSON, which has signs,
 * and for a sum of several. Of nanoseconds these are 36 years.
 */
#define SERIALIZER_NUMBER_MAX (1ULL << 60)

/* Writes the summary as records. 0, -ENOMEM or what `write` returned. */
int kept_summary_write(const struct summary *summary, record_put_fn *write, void *ctx);

struct kept_summary;

/* The records hold a summary without its run_info, so `info` is copied. NULL: out of memory. */
struct kept_summary *kept_summary__new(const struct run_info *info);
void kept_summary__free(struct kept_summary *kept);

/*
 * Adds a record. 0; -ENOMEM; -EINVAL: its summary cannot be read, or contradicts itself, and is
 * left out.
 */
int kept_summary__record(struct kept_summary *kept, const struct record_summary *record);

/* NULL: it is not here. The caller fills in `truncated`. */
struct summary *kept_summary__summary(struct kept_summary *kept);
