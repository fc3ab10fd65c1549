/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that store the usual values of options, and refuse others. `to` is of the type
 * that stands behind each.
 */
#pragma once

#include "cli/option_table.h"
#include "model/spec.h"

option_set_fn set_flag;      /* bool, of an option without a value */
option_set_fn set_text;      /* const char *, borrowed from argv */
option_set_fn set_number;    /* uint64_t, from `min` to `max` of the row */
option_set_fn set_count;     /* uint32_t, the same */
option_set_fn set_duration;  /* uint64_t, ns */
option_set_fn set_name;      /* enum, the number of a name of the row */
option_set_fn set_processes; /* char[SPEC_TEXT_LEN]: numbers and globs, between commas */

/* The members `names` and `cnt` of a row. */
#define NAMES(list) .names = (list), .cnt = sizeof(list) / sizeof((list)[0])

/* The value of --`option`. 0, or EINVAL (logged). */
int parse_bounded(const char *option, const char *arg, uint64_t min, uint64_t max, uint64_t *value);

/* Logs why a value is refused; `why` is that of util/parse.h. EINVAL. */
int refuse_value(const char *option, const char *why);

/* Logs that an option has no such value, and those that it has. EINVAL. */
int refuse_word(const char *option, const char *word, const char *known);

/* A line of the help, for a value of an option. */
void value_help(FILE *out, const char *value, const char *meaning);
