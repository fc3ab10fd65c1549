/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws chains of messages through several processes as bars to scale: the means of the time on the
 * way to each process, and of the time that it takes until it sends on.
 */
#include "model/transport_names.h"
#include "report/figure/legend.h"
#include "report/figure/rows/frame.h"
#include "report/figure/scale.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <math.h>
#include <stdio.h>

#define CHAINS_MAX   6
#define MATTERS      0.05 /* of the most frequent one, as in the text report */
#define BAR_HEIGHT   22
#define LABEL_LINE   15 /* below the bar: the processes that a chain goes to */
#define ROW_GAP      12
#define ROW_HEIGHT   (LINE_STEP + 2 + BAR_HEIGHT + LABEL_LINE + ROW_GAP)
#define LEGEND_SPACE 8
#define NOTE_WIDE    300
#define NOTE_NARROW  80
#define LEAST_LABEL  60 /* for a name that has to be cut */

static uint32_t chains_of(const struct summary *summary)
{
	uint32_t cnt = 0;

	while (cnt < summary->chain_cnt && cnt < CHAINS_MAX && summary->chain[cnt].count &&
	       (double)summary->chain[cnt].count >= MATTERS * (double)summary->chain[0].count)
		cnt++;
	return cnt;
}

static bool chain_bars_applies(const struct illustration *illustration)
{
	return chains_of(illustration->summary) > 0;
}

/* "jackd > synth > mixer" */
static void way_words(const struct summary *summary, const struct chain_summary *chain,
		      struct paragraph *words)
{
	char name[NAME_LEN];

	for (uint32_t i = 0; i < chain->hop_cnt; i++) {
		process_name(summary, &chain->hop[i].from, name);
		paragraph_add(words, "%s → ", name);
	}
	process_name(summary, &chain->hop[chain->hop_cnt - 1].to, name);
	paragraph_add(words, "%s", name);
}

static void chain_bars_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct summary *summary = illustration->summary;
	const struct chain_summary *first = summary->chain;
	struct paragraph way = {0};

	way_words(summary, first, &way);
	paragraph_add(
		words,
		"Messages went this way %llu time%s: %s. From the first send to the last receive "
		"it takes %s in the mean, and 99 %% take at most %s.",
		(unsigned long long)first->count, plural(first->count), way.text,
		NS_TEXT(stat_mean(&first->cycle)),
		NS_TEXT((double)stat_percentile(&first->cycle, 99)));
}

static void chain_bars_more_words(const struct summary *summary, char words[LABEL_LEN])
{
	uint32_t more = summary->chain_cnt - chains_of(summary);
	int length = 0;

	words[0] = '\0';
	if (more)
		length = snprintf(words, LABEL_LEN, "%u more way%s %s not drawn. ", more,
				  plural(more), more == 1 ? "is" : "are");
	if (summary->chains_other)
		snprintf(words + length, LABEL_LEN - length,
			 "%llu chain%s of further processes %s not kept.",
			 (unsigned long long)summary->chains_other, plural(summary->chains_other),
			 summary->chains_other == 1 ? "was" : "were");
}

/* One part of a chain. */
struct piece {
	const struct chain_summary *chain;
	const struct chain_hop *hop;
	const struct chain_time *time;
	const char *class;
	const char *what;
};

/* Returns where the next piece begins. */
static double piece_draw(const struct canvas *canvas, const struct summary *summary,
			 const struct piece *piece, double scale, double x, double y)
{
	double ns = (double)piece->time->ns / (double)piece->chain->count, width = ns * scale;
	const char *text = NS_TEXT(ns), *transport = transport_id_name(piece->hop->transport);
	bool is_way_larger = piece->hop->latency.ns >= piece->hop->handled.ns;
	char to[NAME_LEN], label[LABEL_LEN];

	process_name(summary, &piece->hop->to, to);
	group_open(canvas, "hop");
	data_text(canvas, "what", piece->what);
	data_text(canvas, "to", piece->hop->to.comm);
	data_text(canvas, "transport", transport);
	data_mean(canvas, "mean-ns", ns);
	data_count(canvas, "max-ns", piece->time->max_ns);
	tooltip_draw(canvas, "%s %s (%s): %s in the mean, at most %s", piece->what, to,
		     transport ?: "?", text, NS_TEXT((double)piece->time->max_ns));
	rect_draw(canvas, TEXT("fill %s", piece->class), x, y, fmax(width, 0.5), BAR_HEIGHT);
	if (label_width(text, FONT_SMALL) + 6 <= width)
		label_draw(canvas, "on", x + width / 2, y + BAR_HEIGHT / 2.0 + 4, ANCHOR_MIDDLE,
			   text);
	/* The name of a process stands below the larger one of its two pieces. */
	if (is_way_larger == (piece->time == &piece->hop->latency) &&
	    (label_width(to, FONT_SMALL) < width || width >= LEAST_LABEL) &&
	    label_fit(to, FONT_SMALL, width - 2, label))
		label_draw(canvas, "soft", x + width / 2, y + BAR_HEIGHT + 12, ANCHOR_MIDDLE,
			   label);
	markup_close(canvas->markup);
	return x + width;
}

static void pieces_draw(const struct canvas *canvas, const struct summary *summary,
			const struct chain_summary *chain, double scale, double y)
{
	double x = 0;

	for (uint32_t i = 0; i < chain->hop_cnt; i++) {
		const struct chain_hop *hop = &chain->hop[i];

		x = piece_draw(
			canvas, summary,
			&(struct piece){chain, hop, &hop->latency, "on-way", "on the way to"},
			scale, x, y);
		if (i + 1 == chain->hop_cnt)
			break;
		x = piece_draw(canvas, summary,
			       &(struct piece){chain, hop, &hop->handled, "in-process", "in"},
			       scale, x, y);
	}
}

static void chain_bars_note_draw(const struct canvas *canvas, const struct chain_summary *chain,
				 double y)
{
	char note[LABEL_LEN];

	if (canvas->is_narrow)
		snprintf(note, sizeof(note), "%s", NS_TEXT(stat_mean(&chain->cycle)));
	else
		snprintf(note, sizeof(note), "%s time%s, mean %s, 99 %% within %s",
			 COUNT_TEXT((double)chain->count), plural(chain->count),
			 NS_TEXT(stat_mean(&chain->cycle)),
			 NS_TEXT((double)stat_percentile(&chain->cycle, 99)));
	row_note_draw(canvas, "small", y, note);
}

static void chain_draw(const struct canvas *canvas, const struct summary *summary,
		       const struct chain_summary *chain, double scale, double y)
{
	double note = canvas->is_narrow ? NOTE_NARROW : NOTE_WIDE;
	struct paragraph way = {0};

	way_words(summary, chain, &way);
	group_open(canvas, "chain");
	data_count(canvas, "count", chain->count);
	data_mean(canvas, "cycle-mean-ns", stat_mean(&chain->cycle));
	data_count(canvas, "cycle-p99-ns", stat_percentile(&chain->cycle, 99));
	data_count(canvas, "cycle-max-ns", chain->cycle.max);
	row_path_draw(canvas, NULL, 0, y + 11, canvas->width - note, way.text);
	chain_bars_note_draw(canvas, chain, y + 11);
	pieces_draw(canvas, summary, chain, scale, y + LINE_STEP + 2);
	markup_close(canvas->markup);
}

static double chain_bars_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	const struct summary *summary = illustration->summary;
	uint32_t cnt = chains_of(summary);
	static const struct legend legend = {
		.entry = {{.class = "on-way", .label = "on the way to the process"},
			  {.class = "in-process", .label = "in the process, until it sends on"}},
		.cnt = 2,
	};
	double y = legend_draw(canvas, &legend, 0) + LEGEND_SPACE, longest_ns = 1;
	char words[LABEL_LEN];

	for (uint32_t i = 0; i < cnt; i++)
		longest_ns = fmax(longest_ns, stat_mean(&summary->chain[i].cycle));
	for (uint32_t i = 0; i < cnt; i++) {
		chain_draw(canvas, summary, &summary->chain[i], canvas->width / longest_ns, y);
		y += ROW_HEIGHT;
	}
	chain_bars_more_words(summary, words);
	return y + row_words_draw(canvas, y, words);
}

const struct figure figure_chains = {
	.name = "chains",
	.title = "Chains of messages",
	.applies = chain_bars_applies,
	.describe = chain_bars_describe,
	.draw = chain_bars_draw,
};
