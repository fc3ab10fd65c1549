/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the command line. Pure functions: 0, or -EINVAL with one sentence in `why` that
 * names the value.
 */
#ifndef IPCTRACE_UTIL_PARSE_H
#define IPCTRACE_UTIL_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARSE_WHY_LEN 160

/* A whole decimal number within the bounds. */
int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value, char *why);

/* "10ms" in nanoseconds; units ns us ms s m; at least one nanosecond, at most a day. */
int parse_duration(const char *text, uint64_t *ns, char *why);

/*
 * "1-5,7,10": numbers within 1..max in the order given, and a 0 behind the last one. `*list` is
 * allocated, to be freed; untouched on failure. Also -ENOMEM.
 */
int parse_number_list(const char *text, uint32_t max, uint32_t **list, char *why);

/* The next word of a comma separated list at `*text`, which moves on; false past the last one. */
bool parse_word(const char **text, char *word, size_t size);

#endif
