/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the causes of a message: each of its components, cut by what brought it about. */
#pragma once

#include "analysis/breakdown/blame.h"
#include "analysis/causes/cause_list.h"

/* Adds the run queue component. `blames`: of the message, not sorted yet. */
void message_causes_waits(struct cause_list *list, const struct blames *blames, uint32_t tid);

/* Adds the other components. */
void message_causes_segments(struct cause_list *list, const struct message *message);
