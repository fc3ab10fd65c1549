/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what takes longest in a chain of messages from process to process. */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/* One sentence on the most frequent chain. False: most messages are of no chain. */
bool chain_words(struct paragraph *verdict, const struct summary *summary);
