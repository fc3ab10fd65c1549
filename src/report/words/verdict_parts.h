/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parts of the verdict: what a component says, and what a call consists of. */
#pragma once

#include "report/words/culprits.h"

/* "Most", "About half", …: of something that has this share. */
const char *share_words(double share);

/* ", mostly behind hog (pid 4711, nice 0)": what had the CPU for most of `runqueue_ns`. */
void blame_words(struct paragraph *verdict, const struct summary *summary, struct blame_list list,
		 double runqueue_ns);

/* "run queue: redis-server (pid 12) waits for a CPU, mostly behind …" */
void component_words(struct paragraph *verdict, const struct summary *summary, enum component part);

/*
 * The sentence on calls: the service, or the way to the server or back if that takes longer. False:
 * the verdict is on messages, as no part leads, or most messages are of no call.
 */
bool calls_words(struct paragraph *verdict, const struct summary *summary);

/* Calls that the sentence does not speak of, though they are many. */
void several_words(struct paragraph *verdict, const struct calls_summary *calls,
		   bool speaks_of_calls);
