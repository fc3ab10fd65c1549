/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists all patterns, and finds a pattern by name. */
#include "util/word_list.h"
#include "workload/pattern.h"

#include <string.h>

/* A new pattern is one file, its declaration in pattern.h, and one line here. */
const struct pattern *const patterns[] = {
	&push_pattern, &pingpong_pattern, &request_pattern, &connect_pattern, &flood_pattern, NULL,
};

const struct pattern *pattern_find(const char *name)
{
	for (size_t i = 0; patterns[i]; i++)
		if (!strcmp(patterns[i]->name, name))
			return patterns[i];
	return NULL;
}

const char *pattern_names(void)
{
	static char names[256];
	struct word_list list = {.text = names, .size = sizeof(names)};

	for (size_t i = 0; patterns[i]; i++)
		word_list_add(&list, "%s", patterns[i]->name);
	return names;
}
