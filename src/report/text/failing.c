/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the system calls that fail, if they take much of a CPU. */
#include "report/text/sections.h"
#include "report/words/failing_words.h"

void text_failing(const struct text *text, const struct summary *summary)
{
	bool has_title = false;

	for (uint32_t i = 0; i < summary->failing_cnt; i++) {
		const struct failing_summary *failing = &summary->failing[i];
		struct paragraph line = {0};

		if (!failing_is_much(summary, failing))
			continue;
		if (!has_title)
			text_rule(text, "system calls that fail");
		has_title = true;
		failing_words(&line, summary, failing);
		paragraph_print(text, INK_PLAIN, "", &line);
	}
}
