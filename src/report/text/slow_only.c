/* SPDX-License-Identifier: BSD-2-Clause */
/* Words and lines about a recording that keeps only slow messages. */
#include "report/text/sections.h"

void slow_only_words(struct paragraph *paragraph, const struct run_info *info)
{
	paragraph_add(paragraph,
		      "it keeps only messages that took longer than %s, and the "
		      "statistics of all",
		      DURATION(info->keeps_slower_ns));
}

void text_slow_only(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	if (!summary->info.keeps_slower_ns)
		return;
	slow_only_words(&line, &summary->info);
	paragraph_add(&line, ": %llu of %llu", (unsigned long long)summary->slower_cnt,
		      (unsigned long long)summary->integrity.matched);
	paragraph_print(text, INK_BOLD, "recording", &line);
}

void text_without_statistics(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	slow_only_words(&line, &summary->info);
	paragraph_add(&line,
		      ". These come last, and it breaks off before: of all that was sent nothing "
		      "is known but %llu message%s, which -f ndjson shows",
		      (unsigned long long)summary->slower_cnt, plural(summary->slower_cnt));
	paragraph_print(text, INK_WARNING, "recording", &line);
}
