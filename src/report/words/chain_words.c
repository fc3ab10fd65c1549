/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the times on the way to each process of a chain, and the times there. */
#include "report/words/chain_words.h"

#include "report/words/labels.h"

#define MOST     0.5 /* of all messages */
#define HOPS_MIN 3   /* a pipeline of two hops is a reader that also writes */

/* The longest part of a chain. */
struct chain_part {
	const struct end_summary *to;
	bool is_handled; /* the time there, not the time on the way there */
	double ns;       /* sum */
};

static void take_longer(struct chain_part *longest, const struct chain_part *part)
{
	if (part->ns > longest->ns)
		*longest = *part;
}

static struct chain_part longest_part(const struct chain_summary *chain)
{
	struct chain_part longest = {.to = &chain->hop[0].to};

	for (uint32_t i = 0; i < chain->hop_cnt; i++) {
		const struct chain_hop *hop = &chain->hop[i];
		const struct chain_part way = {.to = &hop->to, .ns = (double)hop->latency.ns};
		const struct chain_part there = {
			.to = &hop->to, .is_handled = true, .ns = (double)hop->handled.ns};

		take_longer(&longest, &way);
		take_longer(&longest, &there);
	}
	return longest;
}

static bool has_most_messages(const struct summary *summary)
{
	double cnt = 0;

	for (uint32_t i = 0; i < summary->chain_cnt; i++) {
		if (summary->chain[i].hop_cnt >= HOPS_MIN)
			cnt += (double)summary->chain[i].count * summary->chain[i].hop_cnt;
	}
	return summary->chain[0].hop_cnt >= HOPS_MIN &&
	       cnt >= MOST * (double)summary->integrity.matched;
}

bool chain_words(struct paragraph *verdict, const struct summary *summary)
{
	const struct chain_summary *chain = summary->chain;
	char first[END_TITLE_LEN], last[END_TITLE_LEN], slow[END_TITLE_LEN];
	struct chain_part part;

	if (!summary->chain_cnt || !has_most_messages(summary))
		return false;
	part = longest_part(chain);
	process_title(summary, &chain->hop[0].from, first);
	process_title(summary, &chain->hop[chain->hop_cnt - 1].to, last);
	process_title(summary, part.to, slow);
	paragraph_add(
		verdict,
		"A cycle from %s to %s, over %u messages, takes %.1f us; %s of that is %s%s%s.",
		first, last, chain->hop_cnt, stat_mean(&chain->cycle) / 1e3,
		PERCENT(part.ns / (double)chain->cycle.sum),
		part.is_handled ? "what " : "the way to ", slow,
		part.is_handled ? " does before it sends the next one" : "");
	return true;
}
