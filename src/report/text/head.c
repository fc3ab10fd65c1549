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
	paragraph_add(&host, "; ipctrace %s", info->version);
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

void head_answers(const struct text *text, const struct head_lines *lines, struct answer answer[2])
{
	struct answer both = {"", INK_PLAIN, 1, lines->title};

	answer[0] = (struct answer){"", INK_PLAIN, HEAD_LINES, lines->title};
	answer[1] = (struct answer){"", INK_PLAIN, HEAD_LINES, lines->conditions};
	if (!lines->conditions.length)
		return;
	paragraph_add(&both.words, "; %s", lines->conditions.text);
	if (!answer_is_whole(text, &both))
		return;
	answer[0] = both;
	answer[1].words = (struct paragraph){0};
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
