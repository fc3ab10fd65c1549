/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects what the first screen speaks of: of several services, for example a proxy and its
 * backend, the one with most time. The mean of all of them is that of none.
 */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

struct focus {
	struct summary summary;         /* borrows all but for the calls of `service` */
	struct service_summary service; /* the calls of all its clients */
	struct blame_summary blame[BLAME_TOP_MAX + 1]; /* what had its CPU */
	bool is_one_of_several;
};

/* Whether the first screen speaks of a part of these calls: those of one service. */
bool is_one_of_several(const struct calls_summary *calls);

/* focus_clean() follows. `summary` is borrowed until then. */
void focus_on_service(struct focus *focus, const struct summary *summary);

/* Whose calls these are, and how many there are of others; nothing if there is one service. */
void focus_words(struct paragraph *whose, const struct focus *focus,
		 const struct calls_summary *all);

void focus_clean(struct focus *focus);
