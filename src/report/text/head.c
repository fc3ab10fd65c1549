/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the lines that describe the workload, or the target, and the machine. */
#include "report/text/sections.h"
#include "report/words/head.h"

void text_workload(const struct text *text, const struct run_info *info,
		   const struct paragraph *workload)
{
	struct paragraph host = {0};

	host_words(&host, &info->host);
	paragraph_print(text, INK_BOLD, info->mode == MODE_ATTACH ? "attached to" : "workload",
			workload);
	paragraph_print(text, INK_BOLD, "host", &host);
}

void text_head(const struct text *text, const struct run_info *info)
{
	struct paragraph line = {0};

	if (info->mode == MODE_ATTACH)
		target_words(&line, info);
	else
		head_title(&line, info);
	text_workload(text, info, &line);
}

void text_head_lines(const struct text *text, const struct run_info *info,
		     const struct head_lines *lines)
{
	char label[SPEC_TEXT_LEN + sizeof("ipctrace ")];

	snprintf(label, sizeof(label), "ipctrace %s", info->version);
	paragraph_print_lines(text, INK_BOLD, label, &lines->title, 1);
	paragraph_print_lines(text, INK_PLAIN, "", &lines->conditions, 1);
}

void text_sentences(const struct text *text, const struct summary *summary,
		    const struct sentence *sentence)
{
	for (; sentence->label; sentence++) {
		bool warns = sentence->warns ? sentence->warns(summary) : sentence->is_warning;
		struct paragraph words = {0};

		sentence->words(&words, summary);
		paragraph_print(text, warns ? INK_WARNING : INK_BOLD, sentence->label, &words);
	}
}
