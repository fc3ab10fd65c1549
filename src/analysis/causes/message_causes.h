/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the causes of a message: each of its components, cut by what brought it about. */
#pragma once

#include "analysis/causes/cause_list.h"
#include "analysis/causes/thread_cut.h"

/* Adds the components, and follows them. `blames`: of the message, not sorted yet. */
void message_causes_add(struct cause_list *list, struct cutter *cutter,
			const struct message *message, const struct blames *blames);
