/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints chains of messages: the processes in their order, the latency of the whole cycle, and of
 * each hop the time on the way and the time until its receiver sends the next message.
 */
#include "model/transport_names.h"
#include "report/words/labels.h"
#include "report/text/sections.h"
#include "report/text/stat_table.h"

#define CHAINS_SHOWN 4

/* Less frequent chains are of no interest, such as those of a start. */
#define MATTERS 0.05 /* of the most frequent one */

static void add_end(struct paragraph *line, const struct summary *summary,
		    const struct end_summary *end)
{
	char title[END_TITLE_LEN];

	process_title(summary, end, title);
	paragraph_add(line, "%s", title);
}

static void title(const struct text *text, const struct summary *summary,
		  const struct chain_summary *chain)
{
	struct paragraph line = {0};

	for (uint32_t i = 0; i < chain->hop_cnt; i++) {
		add_end(&line, summary, &chain->hop[i].from);
		paragraph_add(&line, " > ");
	}
	add_end(&line, summary, &chain->hop[chain->hop_cnt - 1].to);
	paragraph_print(text, INK_PLAIN, "  way", &line);
}

static void hop_line(const struct text *text, const struct summary *summary,
		     const struct chain_summary *chain, uint32_t i)
{
	const struct chain_hop *hop = &chain->hop[i];
	double count = (double)chain->count;
	struct paragraph line = {0};

	paragraph_add(&line, "%s to ", transport_id_name(hop->transport));
	add_end(&line, summary, &hop->to);
	paragraph_add(&line, ": %.1f us on the way, at most %.1f",
		      (double)hop->latency.ns / count / 1e3, (double)hop->latency.max_ns / 1e3);
	if (i + 1 < chain->hop_cnt)
		paragraph_add(&line, "; %.1f us there, at most %.1f",
			      (double)hop->handled.ns / count / 1e3,
			      (double)hop->handled.max_ns / 1e3);
	paragraph_print(text, INK_PLAIN, "  hop", &line);
}

void text_chains(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {.text = text, .label_width = 14, .cell_width = 9};
	uint32_t shown = 0;

	for (; shown < summary->chain_cnt && shown < CHAINS_SHOWN; shown++) {
		const struct chain_summary *chain = &summary->chain[shown];

		if ((double)chain->count < MATTERS * (double)summary->chain[0].count)
			break;
		if (!shown) {
			text_newline(text);
			text_stat_heading(&table, "chains (us)");
		}
		title(text, summary, chain);
		text_stat_row(&table, "  whole", &chain->cycle);
		for (uint32_t i = 0; i < chain->hop_cnt; i++)
			hop_line(text, summary, chain, i);
	}
	if (summary->chain_cnt > shown)
		fprintf(text->out, "%*sand %u more, see -f json\n", table.label_width, "",
			summary->chain_cnt - shown);
}
