/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the difference of the means of slow units and others as bars: each component, and below it
 * the culprits that it consists of.
 */
#include "report/figure/rows/frame.h"
#include "report/figure/scale.h"
#include "report/words/explain/cause_words.h"

#include <math.h>

#define SHOWN_SHARE   0.01 /* of the difference; smaller rows are added up */
#define LINES_MAX     24
#define CULPRITS_MAX  4 /* of a component */
#define INDENT        16
#define BAR_COMPONENT 16
#define BAR_CULPRIT   10
#define GAP           7
#define NOTE_WIDTH    130
#define SHARE_WIDTH   58 /* the time stands left of the share */
#define NOTE_NARROW   120

/* A line of the figure: a row of the explanation, or the sum of several. */
struct line {
	const struct explain_row *row; /* NULL: the sum of `rows` rows */
	uint32_t rows;
	uint8_t cost; /* of its component */
	double more_ns;
	bool is_component;
};

struct lines {
	struct line line[LINES_MAX];
	uint32_t cnt;
};

static double difference_share_of(const struct explanation *explanation, double ns)
{
	return explanation->difference_ns > 0 ? ns / explanation->difference_ns : NAN;
}

static bool difference_is_small(const struct explanation *explanation,
				const struct explain_row *row)
{
	return !(fabs(difference_share_of(explanation, row_more_ns(row))) >= SHOWN_SHARE);
}

static void lines_add(struct lines *lines, struct line line)
{
	if (lines->cnt < LINES_MAX)
		lines->line[lines->cnt++] = line;
}

/* The culprits of a component, from `row` on. Followed ones are part of these. */
static void add_culprits(struct lines *lines, const struct explanation *explanation,
			 const struct explain_row *row)
{
	const struct explain_row *end = row, *last = explanation->row + explanation->row_cnt;
	struct line rest = {.cost = row[-1].cost};
	uint32_t shown = 0;

	while (end < last && !end->is_component)
		end++;
	/* A component with its own time alone needs no line for that. */
	if (row->role == CAUSE_ITSELF && row->call == CALL_UNKNOWN && !row->reason &&
	    row + 1 == end)
		return;
	for (; row < end; row++) {
		struct line line = {row, 1, rest.cost, row_more_ns(row), false};

		if (row->depth)
			continue;
		if (!difference_is_small(explanation, row) && shown < CULPRITS_MAX) {
			lines_add(lines, line);
			shown++;
			continue;
		}
		rest.rows++;
		rest.more_ns += line.more_ns;
	}
	if (shown && rest.rows)
		lines_add(lines, rest);
}

static void lines_of(const struct explanation *explanation, struct lines *lines)
{
	struct line rest = {.is_component = true, .cost = COST_UNKNOWN};

	*lines = (struct lines){0};
	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		const struct explain_row *row = &explanation->row[i];

		if (!row->is_component)
			continue;
		if (difference_is_small(explanation, row) ||
		    lines->cnt + CULPRITS_MAX + 3 > LINES_MAX) {
			rest.rows++;
			rest.more_ns += row_more_ns(row);
			continue;
		}
		lines_add(lines, (struct line){row, 1, row->cost, row_more_ns(row), true});
		add_culprits(lines, explanation, row + 1);
	}
	if (rest.rows)
		lines_add(lines, rest);
}

static bool difference_applies(const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;

	return explanation->outcome == EXPLAIN_DONE && explanation->row_cnt &&
	       explanation->difference_ns > 0;
}

static double difference_mean_ns(const struct explain_set *set)
{
	return set->count ? (double)set->sum_ns / (double)set->count : 0;
}

static void difference_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct explanation *explanation = illustration->explanation;
	const struct explain_row *row = explanation->row;
	char title[NAME_LEN];

	row_component(row, title);
	paragraph_add(
		words,
		"A slow %s (%s) takes %s in the mean, another (%s) %s: %s more, of which %s (%s) "
		"are %s.",
		unit_words(explanation->unit, false), explanation->slow.select,
		NS_TEXT(difference_mean_ns(&explanation->slow)), explanation->base.select,
		NS_TEXT(difference_mean_ns(&explanation->base)),
		NS_TEXT(explanation->difference_ns), NS_TEXT(row_more_ns(row)),
		PERCENT(difference_share_of(explanation, row_more_ns(row))), title);
}

static double bar_height(const struct line *line)
{
	return line->is_component ? BAR_COMPONENT : BAR_CULPRIT;
}

static double line_height(const struct row_frame *frame, const struct line *line)
{
	return frame->name_height + fmax(bar_height(line), frame->name_height ? 0 : 13) + GAP;
}

static void difference_name_of(const struct explanation *explanation, const struct line *line,
			       char name[CLAUSE_LEN])
{
	if (!line->row)
		snprintf(name, CLAUSE_LEN, "%u other%s", line->rows, plural(line->rows));
	else if (line->row->is_rest)
		snprintf(name, CLAUSE_LEN, "others");
	else if (line->is_component)
		row_component(line->row, name);
	else
		row_label(&explanation->info, line->row, CLAUSE_LEN - 1, name);
}

static void difference_data_draw(const struct canvas *canvas, const struct explanation *explanation,
				 const struct line *line, const char *name)
{
	data_text(canvas, "name", name);
	if (line->row)
		data_text(canvas, "component", components[line->row->cost].name);
	if (line->row)
		data_text(canvas, "part", cause_part_names[line->row->part]);
	data_mean(canvas, "ns", line->more_ns);
	data_share(canvas, "share", difference_share_of(explanation, line->more_ns));
	if (!line->row)
		return;
	data_mean(canvas, "slow-ns", line->row->slow_ns);
	data_mean(canvas, "base-ns", line->row->base_ns);
	data_count(canvas, "slow-messages", line->row->slow_units);
	data_count(canvas, "base-messages", line->row->base_units);
}

/* With the minus sign that times have: "−5.2 %". */
static void difference_share_words(const struct explanation *explanation, double ns, char words[32])
{
	const char *text = PERCENT(difference_share_of(explanation, ns));
	bool is_less = text[0] == '-';

	snprintf(words, 32, "%s%.24s", is_less ? "−" : "", text + is_less);
}

static void difference_tooltip_of(const struct canvas *canvas,
				  const struct explanation *explanation, const struct line *line,
				  const char *name)
{
	const char *more = line->more_ns < 0 ? "less" : "more";
	char share[32];

	difference_share_words(explanation, line->more_ns, share);
	if (line->row)
		tooltip_draw(canvas,
			     "%s: %s in a slow %s, %s in another: %s %s (%s of the difference); "
			     "found in %llu of %llu slow ones",
			     name, NS_TEXT(line->row->slow_ns),
			     unit_words(explanation->unit, false), NS_TEXT(line->row->base_ns),
			     NS_TEXT(fabs(line->more_ns)), more, share,
			     (unsigned long long)line->row->slow_units,
			     (unsigned long long)explanation->slow.count);
	else
		tooltip_draw(canvas, "%s: %s %s (%s of the difference)", name,
			     NS_TEXT(fabs(line->more_ns)), more, share);
}

static void line_row_draw(const struct canvas *canvas, const struct explanation *explanation,
			  const struct line *line, const struct scale *scale, double y)
{
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDTH, NOTE_NARROW);
	double indent = line->is_component ? 0 : INDENT;
	double from = scale_place(scale, fmin(0, line->more_ns));
	double to = scale_place(scale, fmax(0, line->more_ns));
	double bar_y = y + (frame.name_height ?: (13 - fmin(13, bar_height(line))) / 2);
	const char *ink = line->is_component ? "strong" : NULL;
	char name[CLAUSE_LEN], share[32];

	difference_name_of(explanation, line, name);
	difference_share_words(explanation, line->more_ns, share);
	group_open(canvas, line->is_component ? "component-row" : "culprit-row");
	difference_data_draw(canvas, explanation, line, name);
	difference_tooltip_of(canvas, explanation, line, name);
	row_name_draw(canvas, ink, indent, y + 11, frame.name_width - indent, name);
	label_draw(canvas, ink, canvas->width - SHARE_WIDTH, y + 11, ANCHOR_END,
		   TEXT("%s%s", line->more_ns >= 0 ? "+" : "−", NS_TEXT(fabs(line->more_ns))));
	row_note_draw(canvas, ink, y + 11, share);
	rect_draw(canvas,
		  TEXT("fill %s%s", cost_class(line->cost), line->is_component ? "" : " part"),
		  from, bar_y, fmax(1, to - from), bar_height(line));
	if (frame.name_height)
		line_draw(canvas, "frame", scale_place(scale, 0), bar_y - 1, scale_place(scale, 0),
			  bar_y + bar_height(line) + 1);
	markup_close(canvas->markup);
}

static double difference_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDTH, NOTE_NARROW);
	struct scale scale = {.start = frame.bar_x, .end = frame.bar_x + frame.bar_width};
	struct lines lines;
	double y = 2;

	lines_of(explanation, &lines);
	for (uint32_t i = 0; i < lines.cnt; i++) {
		scale.from = fmin(scale.from, lines.line[i].more_ns);
		scale.to = fmax(scale.to, lines.line[i].more_ns);
	}
	for (uint32_t i = 0; i < lines.cnt; i++) {
		line_row_draw(canvas, explanation, &lines.line[i], &scale, y);
		y += line_height(&frame, &lines.line[i]);
	}
	if (!frame.name_height)
		line_draw(canvas, "frame", scale_place(&scale, 0), 0, scale_place(&scale, 0), y);
	return y;
}

const struct figure figure_difference = {
	.name = "difference",
	.title = "What takes longer in the slow ones",
	.subject = OF_UNITS,
	.applies = difference_applies,
	.describe = difference_describe,
	.draw = difference_draw,
};
