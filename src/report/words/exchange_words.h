/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sentences on the exchanges of the pattern connect. Each function adds to a
 * paragraph, and adds nothing if there is nothing to say.
 */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/* " 44 % of the message is waiting for a CPU.": if an exchange is mostly its message. */
void exchange_message_words(struct paragraph *verdict, const struct summary *summary);

/* "300 exchanges, each with a connection of its own; all of them add up" */
void exchange_count_words(struct paragraph *line, const struct summary *summary);
