/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parser of --pid, which accepts the output of pidof and pgrep as it is. */
#pragma once

#include "cli/options.h"

/*
 * Appends the PIDs of `text`, which commas or blanks separate. 0, ENOMEM, or EINVAL (logged). The
 * caller frees `list` with pid_list_free(), also after an error.
 */
int pid_list_parse(struct pid_list *list, const char *text);

/* Whether `word` has digits only. Such a word after -p is a further PID. */
bool pid_list_word(const char *word);

void pid_list_free(struct pid_list *list);
