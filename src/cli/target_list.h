/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the list of what to attach to. Options that name targets add up. The caller frees the
 * list with target_list_free(), also after an error.
 */
#pragma once

#include "cli/option_table.h"
#include "cli/options.h"

/* The name is borrowed. 0 or ENOMEM. */
int target_list_add_name(struct target_list *list, enum target_kind kind, const char *name);
int target_list_add_number(struct target_list *list, enum target_kind kind, uint32_t number);

/*
 * Appends the PIDs of `text`, which commas or blanks separate: the output of pidof and pgrep as it
 * is. 0, ENOMEM, or EINVAL (logged).
 */
int target_list_add_pids(struct target_list *list, const char *text);

/* Add the value of --pid or --comm to a struct target_list. */
option_set_fn set_pids, set_comm;

/* Whether `word` has digits only. Such a word after -p is a further PID. */
bool is_pid_word(const char *word);

bool target_list_has(const struct target_list *list, enum target_kind kind);

void target_list_free(struct target_list *list);
