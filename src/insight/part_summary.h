/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the messages of some channels as if there were no others. */
#pragma once

#include "insight/services.h"

/* Whether the messages of a channel count. */
typedef bool channel_filter_fn(const void *ctx, const struct channel_summary *channel);

struct part_summary {
	struct summary summary; /* borrows all but `channel`; of components only `sum`, `count` */
	double ns;              /* of all components */
	struct blame_summary blame[BLAME_TOP_MAX + 1];
};

/*
 * part_summary_clean() follows. Lists that are known of all messages only are empty, unless the
 * part has nearly all of what they add up to. 0 or -ENOMEM.
 */
int part_summary_of(struct part_summary *part, const struct summary *summary,
		    channel_filter_fn *counts, const void *ctx);
void part_summary_clean(struct part_summary *part);
