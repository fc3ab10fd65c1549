/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses what the first screen speaks of: of several services, for example a proxy and its
 * backend, the one with most time. The mean of all of them is that of none.
 */
#pragma once

#include "insight/part_summary.h"

struct focus {
	struct summary summary; /* borrows all but for the calls of `service` and their messages */
	struct service_summary service; /* the calls of all its clients */
	struct part_summary messages;
	struct blame_summary blame[BLAME_TOP_MAX + 1]; /* what had its CPU */
	bool is_one_of_several;
};

/* focus_clean() follows. `summary` is borrowed until then. 0 or -ENOMEM. */
int focus_on_service(struct focus *focus, const struct summary *summary);

void focus_clean(struct focus *focus);
