/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parts of the verdict: what a component says, and what a call consists of. */
#pragma once

#include "insight/whole.h"
#include "report/words/culprits.h"

/* "behind hog (pid 4711, nice 0)", "for a CPU that wakes from idle" */
void blamed_words(struct paragraph *line, const struct culprit *culprit);

/* ", mostly behind hog (pid 4711, nice 0)": what had the CPU for most of `runqueue_ns`. */
void blame_words(struct paragraph *verdict, const struct summary *summary, struct blame_list list,
		 double runqueue_ns);

/* "redis-server (pid 12) waits, mostly behind …": what a component is */
void component_words(struct paragraph *verdict, const struct summary *summary, enum component part);

/*
 * ", mostly in the request: redis-server (pid 12) waits, mostly behind hog (pid 13, nice -10)":
 * where in calls a component lies, and why.
 */
void call_component_words(struct paragraph *line, const struct whole *whole,
			  const struct whole_part *part);

/* Whether most of a component of calls lies in their responses. */
bool is_of_responses(const struct whole *whole, const struct whole_part *part);

/* ": orders (pid 12) sleeps in futex": what the server did in its service. */
void call_state_words(struct paragraph *line, const struct summary *summary,
		      enum service_state state);

/* ", as it is known for 12 % of calls what postgres (pid 12) did in its service" */
void call_unknown_words(struct paragraph *line, const struct summary *summary);

/* Calls that the sentence does not speak of, though they are many. */
void several_words(struct paragraph *verdict, const struct calls_summary *calls,
		   bool speaks_of_calls);
