/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the culprits of a picture for its figures, and finds them. */
#include "report/figure/culprit.h"

#include "report/words/paragraph.h"

#include <stdio.h>

uint32_t culprit_place(const struct picture *picture, const struct blame *by)
{
	struct blame one = culprit_folded_by_name(by);

	for (uint32_t i = 0; i < picture->culprit_cnt; i++) {
		if (culprit_is_same(&picture->culprit[i].by, &one))
			return i + 1;
	}
	return 0;
}

void culprit_words(const struct picture_culprit *culprit, char words[CULPRIT_WORDS_LEN])
{
	struct paragraph paragraph = {0};
	struct blame by = culprit->by;
	const char *separator = " (";
	char text[NAME_LEN];

	blame_title(&by, text);
	paragraph_add(&paragraph, "%s", text);
	for (uint32_t i = 0; i < culprit->priority_cnt; i++) {
		by.policy = culprit->priority[i].policy;
		by.priority = culprit->priority[i].priority;
		blame_scheduling(&by, text);
		if (!text[0])
			continue;
		paragraph_add(&paragraph, "%s%s", separator, text);
		separator = ", ";
	}
	if (*separator == ',')
		paragraph_add(&paragraph, ")");
	snprintf(words, CULPRIT_WORDS_LEN, "%.*s", CULPRIT_WORDS_LEN - 1, paragraph.text);
}

struct legend_entry *culprit_add_entry(const struct picture *picture, uint32_t place,
				       struct legend *legend)
{
	const struct picture_culprit *culprit = &picture->culprit[place - 1];
	char title[NAME_LEN], words[CULPRIT_WORDS_LEN];
	struct legend_entry *entry;

	blame_title(&culprit->by, title);
	culprit_words(culprit, words);
	entry = legend_add(legend, culprit_class(place), "%u %s", place, title);
	snprintf(entry->tip, sizeof(entry->tip), "%s: %s", words, NS_TEXT((double)culprit->ns));
	return entry;
}
