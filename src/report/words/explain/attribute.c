/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words for values that set slow units apart, for example "on CPU 1". */
#include "report/words/explain/attribute.h"

#include <stdio.h>
#include <string.h>

/* The words before and behind a value. */
static const struct {
	const char *before;
	const char *after;
} around[NR_ATTRIBUTES] = {
	[ATTRIBUTE_CPU] = {"on CPU ", ""},
	[ATTRIBUTE_PATH] = {"receiver ", " when the data came"},
	[ATTRIBUTE_CHANNEL] = {"channel ", ""},
	[ATTRIBUTE_CLIENT] = {"client ", ""},
	[ATTRIBUTE_PEER] = {"to ", ""},
	[ATTRIBUTE_TRANSPORT] = {"over ", ""},
	[ATTRIBUTE_SIZE] = {"size ", ""},
	[ATTRIBUTE_PLACE] = {"place ", " in the round"},
	[ATTRIBUTE_WAKER] = {"woken by ", ""},
	[ATTRIBUTE_SINCE] = {"", " after the one before"},
	[ATTRIBUTE_MIGRATION] = {"moved to another CPU: ", ""},
};

static const char *value_words(const struct explain_attribute *attribute)
{
	bool is_path = attribute->attribute == ATTRIBUTE_PATH;

	return is_path && !strcmp(attribute->value, path_names[PATH_SLEPT]) ? "asleep"
									    : attribute->value;
}

void explain_attribute_words(const struct explain_attribute *attribute, char words[CLAUSE_LEN])
{
	snprintf(words, CLAUSE_LEN, "%s%s%s", around[attribute->attribute].before,
		 value_words(attribute), around[attribute->attribute].after);
}
