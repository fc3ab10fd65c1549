/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what an explanation says of usual units beyond their rows. */
#pragma once

#include "report/words/explain/leads.h"
#include "report/words/paragraph.h"

/* Whether usual calls make many calls, one after another, which take most of their time. */
bool usual_repeats(const struct explanation *explanation);

/*
 * Whether the threads that each unit wakes in vain use the CPUs for much of its time, or are what
 * it waits for most. `first`: what usual units spend most time on.
 */
bool usual_is_in_vain(const struct explanation *explanation, const struct lead *first);

/* Whether nearly each usual call opens a connection, and mostly waits until it is accepted. */
bool usual_is_accepted_late(const struct explanation *explanation, const struct lead *first);

/* Whether nearly each usual call opens a connection, which takes much of its time. */
bool usual_opens(const struct explanation *explanation, const struct lead *first);

/*
 * Adds a sentence if there is such a thing to say. False: there is not. `usual_ns`: how long a
 * usual unit takes.
 */
bool usual_remark(struct paragraph *line, const struct explanation *explanation,
		  const struct lead *first, double usual_ns);
