/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sentences on the exchanges of the pattern connect. Each function adds to a
 * paragraph, and adds nothing if there is nothing to say.
 */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/*
 * "Most of an exchange (61 %) is run queue: the server waits for a CPU, to accept. Half of all
 * exchanges take at most 33.2 us, 99 % at most 44.4 us." False: their parts are not known, and
 * nothing was added.
 */
bool exchange_verdict_words(struct paragraph *verdict, const struct summary *summary);

/* "300 exchanges, each with a connection of its own; all of them add up" */
void exchange_count_words(struct paragraph *line, const struct summary *summary);
