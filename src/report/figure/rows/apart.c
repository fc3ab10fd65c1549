/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws what sets the slow units apart: for each value, how many of the slow ones have it, and how
 * many of the others.
 */
#include "report/figure/legend.h"
#include "report/figure/rows/frame.h"
#include "report/words/explain/explain_words.h"

#include <math.h>

#define ROWS_MAX     12
#define BAR_HEIGHT   13
#define BAR_GAP      2
#define ROW_GAP      12
#define VALUE_WIDTH  52 /* of a share behind its bar */
#define NOTE_WIDE    150
#define NOTE_NARROW  120
#define LEGEND_SPACE 10

static bool apart_applies(const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;

	return explanation->outcome == EXPLAIN_DONE && explanation->attribute_cnt > 0;
}

static void apart_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct explanation *explanation = illustration->explanation;
	const struct explain_attribute *first = explanation->attribute;
	char value[CLAUSE_LEN];

	explain_attribute_words(first, value);
	paragraph_add(
		words,
		"The slow %s stand out by this first of all: %s (%s of them, %s of the others). "
		"%llu value%s looked at; those shown are too frequent for chance alone.",
		unit_words(explanation->unit, true), value, PERCENT(first->slow_share),
		PERCENT(first->base_share), (unsigned long long)explanation->attributes_looked_at,
		explanation->attributes_looked_at == 1 ? " was" : "s were");
}

static void apart_more_words(const struct explanation *explanation, char words[LABEL_LEN])
{
	uint32_t cnt = 0, same;
	int length = snprintf(words, LABEL_LEN, "Shares count an episode once.");

	for (uint32_t i = 0; i < explanation->attribute_cnt; i++)
		cnt += !explanation->attribute[i].same_as;
	same = explanation->attribute_cnt - cnt;
	if (cnt > ROWS_MAX)
		length += snprintf(words + length, LABEL_LEN - length,
				   " %u more values are not drawn.", cnt - ROWS_MAX);
	if (same)
		snprintf(words + length, LABEL_LEN - length,
			 " %u value%s of the same %s %s left out.", same, plural(same),
			 unit_words(explanation->unit, true), same == 1 ? "is" : "are");
}

static void apart_ratio_words(const struct explain_attribute *attribute, bool is_short,
			      char words[NAME_LEN])
{
	int decimals = attribute->ratio < 100;

	if (!isfinite(attribute->ratio))
		snprintf(words, NAME_LEN, "no other has it");
	else
		snprintf(words, NAME_LEN, "%.*f %s", decimals, attribute->ratio,
			 is_short ? "×" : "times as often");
}

static void interval_words(const struct explain_attribute *attribute, char words[NAME_LEN])
{
	if (isfinite(attribute->ratio_high))
		snprintf(words, NAME_LEN, "%.*f to %.*f", attribute->ratio_low < 100,
			 attribute->ratio_low, attribute->ratio_high < 100, attribute->ratio_high);
	else
		snprintf(words, NAME_LEN, "at least %.*f", attribute->ratio_low < 100,
			 attribute->ratio_low);
}

static void apart_note_draw(const struct canvas *canvas, const struct explain_attribute *attribute,
			    double y)
{
	char ratio[NAME_LEN], interval[NAME_LEN], line[2 * NAME_LEN + 16];

	apart_ratio_words(attribute, canvas->is_narrow, ratio);
	interval_words(attribute, interval);
	if (!canvas->is_narrow) {
		row_note_draw(canvas, "strong", y, ratio);
		snprintf(line, sizeof(line), "95 %%: %s", interval);
		row_note_draw(canvas, "soft", y + LINE_STEP, line);
	} else {
		snprintf(line, sizeof(line), isfinite(attribute->ratio) ? "%s (%s)" : "%s", ratio,
			 interval);
		row_note_draw(canvas, "small", y, line);
	}
}

/* A bar with its share behind it. */
static void apart_bar_draw(const struct canvas *canvas, const char *class, double share, double y)
{
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW);
	double room = frame.bar_width - VALUE_WIDTH;
	double width = share > 0 ? fmax(1, fmin(1, share) * room) : 0;

	rect_draw(canvas, "track", frame.bar_x, y, room, BAR_HEIGHT);
	if (width > 0)
		rect_draw(canvas, class, frame.bar_x, y, width, BAR_HEIGHT);
	label_draw(canvas, "small", frame.bar_x + room + 6, y + BAR_HEIGHT - 2.5, ANCHOR_START,
		   PERCENT(share));
}

static void apart_data_draw(const struct canvas *canvas, const struct explain_attribute *attribute)
{
	data_text(canvas, "name", attribute_infos[attribute->attribute].name);
	data_text(canvas, "value", attribute->value);
	data_share(canvas, "slow-share", attribute->slow_share);
	data_share(canvas, "base-share", attribute->base_share);
	data_share(canvas, "ratio", attribute->ratio);
	data_share(canvas, "ratio-low", attribute->ratio_low);
	data_share(canvas, "ratio-high", attribute->ratio_high);
	data_count(canvas, "slow-messages", attribute->slow_cnt);
	data_count(canvas, "base-messages", attribute->base_cnt);
	data_count(canvas, "episodes", attribute->episodes);
}

static void apart_row_draw(const struct canvas *canvas, const struct explanation *explanation,
			   const struct explain_attribute *attribute, double y)
{
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW);
	char words[CLAUSE_LEN], interval[NAME_LEN];

	explain_attribute_words(attribute, words);
	interval_words(attribute, interval);
	group_open(canvas, "pair");
	apart_data_draw(canvas, attribute);
	tooltip_draw(canvas,
		     "%s: %s of the slow %s (%llu of %llu, in %llu episodes), %s of the others "
		     "(%llu of %llu); %s times as often (95 %%)",
		     words, PERCENT(attribute->slow_share), unit_words(explanation->unit, true),
		     (unsigned long long)attribute->slow_cnt,
		     (unsigned long long)explanation->slow.count,
		     (unsigned long long)attribute->episodes, PERCENT(attribute->base_share),
		     (unsigned long long)attribute->base_cnt,
		     (unsigned long long)explanation->base.count, interval);
	row_name_draw(canvas, NULL, 0, y + 11, frame.name_width, words);
	apart_note_draw(canvas, attribute, y + 11);
	y += frame.name_height;
	apart_bar_draw(canvas, "fill pair-slow", attribute->slow_share, y);
	apart_bar_draw(canvas, "fill pair-base", attribute->base_share, y + BAR_HEIGHT + BAR_GAP);
	markup_close(canvas->markup);
}

static double apart_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;
	struct legend legend = {0};
	char words[LABEL_LEN];
	double row_height = row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW).name_height +
			    2 * BAR_HEIGHT + BAR_GAP + ROW_GAP;
	uint32_t shown = 0;
	double y;

	legend_add(&legend, "pair-slow", "slow: %.56s", explanation->slow.select);
	legend_add(&legend, "pair-base", "others: %.54s", explanation->base.select);
	y = legend_draw(canvas, &legend, 0) + LEGEND_SPACE;
	for (uint32_t i = 0; i < explanation->attribute_cnt && shown < ROWS_MAX; i++) {
		/* Several values with the same units are one finding, the most certain one. */
		if (explanation->attribute[i].same_as)
			continue;
		apart_row_draw(canvas, explanation, &explanation->attribute[i], y);
		y += row_height;
		shown++;
	}
	apart_more_words(explanation, words);
	return y + row_words_draw(canvas, y, words);
}

const struct figure figure_apart = {
	.name = "apart",
	.title = "What sets the slow ones apart",
	.subject = OF_UNITS,
	.applies = apart_applies,
	.describe = apart_describe,
	.draw = apart_draw,
};
