/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares parsers for the values of options. Most parsers return 0 or -EINVAL. After -EINVAL,
 * `why` holds a sentence that names the wrong value.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARSE_WHY_LEN 160

/* A decimal number within the bounds, and nothing else. */
int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value, char *why);

/*
 * "10ms" or "0.5s" in nanoseconds. Units: ns us ms s m. At least one nanosecond, at most a day.
 * Decimals finer than a nanosecond are refused.
 */
int parse_duration(const char *text, uint64_t *ns, char *why);

/* "3.5s": the same, from 0 on. */
int parse_instant(const char *text, uint64_t *ns, char *why);

/* "200MB" in bytes. Units: kB MB GB. At least 1kB, at most 1000GB. */
int parse_size(const char *text, uint64_t *bytes, char *why);

/*
 * "1-5,7,10": numbers within 1..max in the given order, with a 0 at the end. The caller frees
 * `*list`, which is unchanged on failure. Also -ENOMEM.
 */
int parse_number_list(const char *text, uint32_t max, uint32_t **list, char *why);

/* Reads the next word of a comma separated list and advances `*text`. False: no more words. */
bool parse_word(const char **text, char *word, size_t size);

/*
 * Parses the kernel's list format: numbers and ranges, separated by commas, such as "0-2,5". 0;
 * -EINVAL: it is no such list; -ERANGE: no machine has that many CPUs.
 */
int cpu_list_parse(const char *text, cpu_set_t *set);
