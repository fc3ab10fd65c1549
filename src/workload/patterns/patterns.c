/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists all patterns, and finds a pattern by name. */
#include "util/word_list.h"
#include "workload/pattern.h"

#include <string.h>

/* A new pattern is one file, its declaration in pattern.h, and one line here. */
static const struct pattern *const patterns[] = {
	&push_pattern, &pingpong_pattern, &request_pattern, &connect_pattern, &flood_pattern,
};

#define NR_PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

const struct pattern *pattern_find(const char *name)
{
	for (size_t i = 0; i < NR_PATTERNS; i++)
		if (!strcmp(patterns[i]->name, name))
			return patterns[i];
	return NULL;
}

const struct pattern *pattern_at(size_t i)
{
	return i < NR_PATTERNS ? patterns[i] : NULL;
}

const char *pattern_names(void)
{
	static char names[256];
	struct word_list list = {.text = names, .size = sizeof(names)};

	for (size_t i = 0; i < NR_PATTERNS; i++)
		word_list_add(&list, "%s", patterns[i]->name);
	return names;
}
