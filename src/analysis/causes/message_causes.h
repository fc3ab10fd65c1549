/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the causes of a message: each of its components, cut by what brought it about. */
#pragma once

#include "analysis/causes/cause_list.h"
#include "analysis/causes/thread_cut.h"

/* Adds the run queue component. `blames`: of the message, not sorted yet. */
void message_causes_waits(struct cause_list *list, const struct blames *blames, uint32_t tid);

/* Adds the other components, and follows them. */
void message_causes_segments(struct cause_list *list, struct cutter *cutter,
			     const struct message *message);

/* Adds the time in which the sender of a round did something else before this message. */
void message_causes_dispatch(struct cause_list *list, struct cutter *cutter,
			     const struct party *sender, uint64_t from_ns, uint64_t to_ns);
