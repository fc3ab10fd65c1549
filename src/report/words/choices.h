/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which options that name processes have matched none, and which processes there were. */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

extern const char *const choice_options[NR_CHOICES];

/* What the user gave: a name, a glob or a PID. Empty: the option is not given. */
const char *choice_wanted(const struct summary *summary, enum choice_kind kind);

/* There were messages, and none with such a process. */
bool choice_is_in_vain(const struct summary *summary, enum choice_kind kind);

/* Of such a choice: "no process of the 12 messages has this name or PID: they were with ..." */
void choice_words(struct paragraph *line, const struct summary *summary, enum choice_kind kind);
