/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the slowest units: a bar each, as long as it took, cut by component in the order of time.
 * The run queue is cut by culprit, whose colour and number are that of the strips below the heat
 * map. In the page, a bar is a link to the unit in full.
 */
#include "report/figure/culprit.h"
#include "report/figure/scale.h"
#include "report/figure/pieces.h"
#include "report/words/paragraph.h"

#include <math.h>

#define ROW_STEP       17
#define BAR_HEIGHT     13
#define CULPRIT_HEIGHT 4 /* the lower part of a bar's run queue */
#define LEGEND_GAP     10
#define WIDE_LABEL     236
#define RANK_SPACE     22
#define NARROW_LABEL   140
#define VALUE_SPACE    62
#define NUMBER_WIDTH   11
#define LEAST_WIDTH    0.8 /* narrower pieces are not to be seen, */
#define POINTED_LEAST  3   /* nor pointed at */
#define WORDS_LEAST    90

struct layout {
	const struct canvas *canvas;
	const struct picture *picture;
	struct legend legend;
	double top;
	double label_width;
	double per_ns;
};

static bool slowest_applies(const struct illustration *illustration)
{
	return illustration->picture->slowest_cnt > 0;
}

/* Of how many units each component is the largest. */
static void count_largest(const struct picture *picture, uint32_t cnt[NR_COSTS])
{
	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		uint64_t ns[NR_COSTS] = {0};
		const struct unit *unit = &picture->slowest[i];
		int largest = 0;

		for (uint32_t j = 0; j < unit->cause_cnt; j++) {
			if (!unit->cause[j].parent && unit->cause[j].cost < NR_COSTS)
				ns[unit->cause[j].cost] += unit->cause[j].by.ns;
		}
		for (int cost = 1; cost < NR_COSTS; cost++)
			largest = ns[cost] > ns[largest] ? cost : largest;
		if (ns[largest])
			cnt[largest]++;
	}
}

static void slowest_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct picture *picture = illustration->picture;
	uint32_t cnt[NR_COSTS] = {0}, shown = picture->slowest_cnt;
	int most = 0;

	count_largest(picture, cnt);
	for (int cost = 1; cost < NR_COSTS; cost++)
		most = cnt[cost] > cnt[most] ? cost : most;
	if (shown == 1)
		paragraph_add(words, "The slowest %s took %s", unit_words(picture->unit, false),
			      NS_TEXT((double)unit_latency_ns(&picture->slowest[0])));
	else
		paragraph_add(words, "The %u slowest %s took from %s to %s", shown,
			      unit_words(picture->unit, true),
			      NS_TEXT((double)unit_latency_ns(&picture->slowest[shown - 1])),
			      NS_TEXT((double)unit_latency_ns(&picture->slowest[0])));
	if (cnt[most] && shown == 1)
		paragraph_add(words, ", most of it %s", components[most].title);
	else if (cnt[most])
		paragraph_add(words, "; %s is the largest part of %u", components[most].title,
			      cnt[most]);
	paragraph_add(words, ". All bars have one scale.");
}

static void unit_bars_fill_legend(struct layout *layout)
{
	bool has_cost[NR_COSTS] = {false}, has_culprit[CULPRIT_CLASSES + 1] = {false};
	struct piece piece[PIECES_MAX];

	for (uint32_t i = 0; i < layout->picture->slowest_cnt; i++) {
		uint32_t cnt = pieces_of(&layout->picture->slowest[i], piece);

		for (uint32_t j = 0; j < cnt; j++) {
			uint32_t place = culprit_place(layout->picture, &piece[j].by);

			has_cost[piece[j].cost] = true;
			if (piece[j].role == CAUSE_RAN)
				has_culprit[place <= CULPRIT_CLASSES ? place : 0] = true;
		}
	}
	for (int cost = 0; cost < NR_COSTS; cost++) {
		if (has_cost[cost])
			legend_add_cost(&layout->legend, cost);
	}
	for (uint32_t i = 1; i <= CULPRIT_CLASSES; i++) {
		if (has_culprit[i])
			culprit_add_entry(layout->picture, i, &layout->legend)->sample =
				SAMPLE_CULPRIT;
	}
	if (has_culprit[0])
		legend_add(&layout->legend, culprit_class(0), "others that ran")->sample =
			SAMPLE_CULPRIT;
}

static struct layout unit_bars_layout_of(const struct canvas *canvas, const struct picture *picture)
{
	struct layout layout = {.canvas = canvas, .picture = picture};
	double longest = (double)unit_latency_ns(&picture->slowest[0]);

	unit_bars_fill_legend(&layout);
	layout.label_width = canvas->is_narrow ? NARROW_LABEL : WIDE_LABEL;
	layout.per_ns =
		longest > 0 ? (canvas->width - layout.label_width - VALUE_SPACE) / longest : 0;
	return layout;
}

/* Which one it is, as `ipctrace explain` calls it; with room, also where it went. */
static void unit_bars_label_of(const struct unit *unit, bool is_short, char label[LABEL_LEN])
{
	const char *arrow = is_short || !unit->receiver.comm[0] ? "" : " → ";
	const char *receiver = *arrow ? unit->receiver.comm : "";

	if (unit->kind == UNIT_CALL && unit->has_round)
		snprintf(label, LABEL_LEN, "client %u, call %llu", unit->client,
			 (unsigned long long)unit->number);
	else if (unit->kind == UNIT_CALL)
		snprintf(label, LABEL_LEN, "call %llu%s%.*s", (unsigned long long)unit->number,
			 arrow, RECORD_COMM_LEN, receiver);
	else if (unit->kind == UNIT_CONNECTION)
		snprintf(label, LABEL_LEN, "connection %llu%s%.*s",
			 (unsigned long long)unit->number, arrow, RECORD_COMM_LEN, receiver);
	else if (unit->kind == UNIT_ROUND)
		snprintf(label, LABEL_LEN, "round %llu%s%.*s", (unsigned long long)unit->round,
			 arrow, RECORD_COMM_LEN, receiver);
	else if (unit->has_round)
		snprintf(label, LABEL_LEN, "client %u, #%llu", unit->client,
			 (unsigned long long)unit->round);
	else
		snprintf(label, LABEL_LEN, "%u/%llu%s%.*s", unit->channel,
			 (unsigned long long)unit->position, arrow, RECORD_COMM_LEN, receiver);
}

static void unit_data(const struct canvas *canvas, const struct unit *unit)
{
	data_count(canvas, "ns", unit_latency_ns(unit));
	data_count(canvas, "from-ns", unit->from_ns);
	data_count(canvas, "channel", unit->channel);
	data_count(canvas, "seq", unit->position);
	if (unit->kind == UNIT_CALL)
		data_count(canvas, "call", unit->number);
	if (unit->has_round) {
		data_count(canvas, "round", unit->round);
		data_count(canvas, "client", unit->client);
	}
}

/* "run queue behind hog (nice 0)" */
static void piece_tooltip(const struct layout *layout, const struct piece *piece)
{
	const char *part = cause_part_names[piece->part];
	char title[NAME_LEN] = "others";

	if (piece->role == CAUSE_RAN && !piece->is_rest)
		blame_title(&piece->by, title);
	tooltip_draw(layout->canvas, "%s%s%s%s%s: %s", part ?: "", part ? ": " : "",
		     components[piece->cost].title, piece->role == CAUSE_RAN ? " behind " : "",
		     piece->role == CAUSE_RAN ? title : "", NS_TEXT((double)piece->by.ns));
}

/* A narrow page is read on a phone, which shows no tooltips: its marks have no numbers. */
static void draw_piece(const struct layout *layout, const struct piece *piece, double x,
		       double width)
{
	const struct canvas *canvas = layout->canvas;

	rect_open(canvas, TEXT("fill %s", cost_class(piece->cost)), x, 0, width, BAR_HEIGHT);
	if (!canvas->is_narrow) {
		if (cause_part_names[piece->part])
			markup_attr(canvas->markup, "data-part", cause_part_names[piece->part]);
		markup_attr(canvas->markup, "data-cost", components[piece->cost].name);
		data_count(canvas, "ns", piece->by.ns);
		if (piece->role == CAUSE_RAN)
			markup_attr(canvas->markup, "data-by",
				    piece->is_rest ? "others" : piece->by.comm);
		if (width >= POINTED_LEAST)
			piece_tooltip(layout, piece);
	}
	markup_close(canvas->markup);
}

static void draw_culprit(const struct layout *layout, const struct piece *piece, double x,
			 double width)
{
	const struct canvas *canvas = layout->canvas;
	uint32_t place = culprit_place(layout->picture, &piece->by);

	if (place > CULPRIT_CLASSES)
		place = 0;
	rect_draw(canvas, TEXT("culprit %s", culprit_class(place)), x, BAR_HEIGHT - CULPRIT_HEIGHT,
		  width, CULPRIT_HEIGHT);
	if (!place || width < NUMBER_WIDTH || (canvas->is_narrow && width < 2 * NUMBER_WIDTH))
		return;
	label_draw(canvas, "on", x + width / 2, BAR_HEIGHT - CULPRIT_HEIGHT - 0.5, ANCHOR_MIDDLE,
		   TEXT("%u", place));
}

static void draw_bar(const struct layout *layout, const struct piece *piece, uint32_t cnt)
{
	double x = layout->label_width;

	for (uint32_t i = 0; i < cnt; i++) {
		double width = (double)piece[i].by.ns * layout->per_ns;

		if (width >= LEAST_WIDTH || !layout->canvas->is_narrow)
			draw_piece(layout, &piece[i], x, width);
		if (piece[i].role == CAUSE_RAN && width >= (layout->canvas->is_narrow ? 2 : 1))
			draw_culprit(layout, &piece[i], x, width);
		x += width;
	}
}

/* The pieces of one component stand side by side. */
static uint64_t unit_bars_component_ns(const struct piece *piece, uint32_t cnt, uint32_t first)
{
	uint64_t sum = 0;

	for (uint32_t i = first;
	     i < cnt && piece[i].part == piece[first].part && piece[i].cost == piece[first].cost;
	     i++)
		sum += piece[i].by.ns;
	return sum;
}

/* The largest component, and its culprit: "run queue, mostly behind hog (nice 0)". */
static void largest_words(const struct piece *piece, uint32_t cnt, char words[LABEL_LEN])
{
	const char *part, *how = " behind ";
	char title[NAME_LEN] = "";
	uint64_t largest_ns = 0;
	uint32_t largest = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		uint64_t ns = unit_bars_component_ns(piece, cnt, i);

		if (ns <= largest_ns)
			continue;
		largest_ns = ns;
		largest = i;
	}
	/* Its culprits begin with the largest one. */
	if (piece[largest].role == CAUSE_RAN && !piece[largest].is_rest)
		blame_title(&piece[largest].by, title);
	if (piece[largest].by.ns < largest_ns / 2)
		how = ", first of all behind ";
	else if (piece[largest].by.ns < largest_ns - largest_ns / 10)
		how = ", mostly behind ";
	part = cause_part_names[piece[largest].part];
	snprintf(words, LABEL_LEN, "%s%s%s%s%s", part ?: "", part ? ": " : "",
		 components[piece[largest].cost].title, title[0] ? how : "", title);
}

/* The latency behind the bar, and where there is room, what most of it was. */
static void draw_value(const struct layout *layout, const struct unit *unit,
		       const struct piece *piece, uint32_t cnt)
{
	const struct canvas *canvas = layout->canvas;
	double latency = (double)unit_latency_ns(unit);
	double x = layout->label_width + latency * layout->per_ns + 5;
	char words[LABEL_LEN];

	label_draw(canvas, "small", x, 10.5, ANCHOR_START, NS_TEXT(latency));
	x += VALUE_SPACE;
	if (!cnt || canvas->width - x < WORDS_LEAST)
		return;
	largest_words(piece, cnt, words);
	label_draw_fitting(canvas, "soft", x, 10.5, ANCHOR_START, canvas->width - x, words);
}

static void draw_row(const struct layout *layout, uint32_t i)
{
	const struct canvas *canvas = layout->canvas;
	const struct unit *unit = &layout->picture->slowest[i];
	struct piece piece[PIECES_MAX];
	uint32_t cnt = pieces_of(unit, piece);
	char label[LABEL_LEN];

	markup_open(canvas->markup, canvas->is_alone ? "g" : "a");
	if (!canvas->is_alone)
		markup_attrf(canvas->markup, "href", "#%sunit-%u", canvas->prefix ?: "", i + 1);
	markup_attr(canvas->markup, "class", "unit");
	data_count(canvas, "rank", i + 1);
	if (!canvas->is_narrow)
		unit_data(canvas, unit);
	markup_attrf(canvas->markup, "transform", "translate(0 %.1f)", layout->top + i * ROW_STEP);
	rect_draw(canvas, "hit", 0, -1, canvas->width, ROW_STEP);
	label_draw(canvas, "soft", RANK_SPACE, 10.5, ANCHOR_END, TEXT("%u", i + 1));
	unit_bars_label_of(unit, canvas->is_narrow, label);
	label_draw_fitting(canvas, "small", RANK_SPACE + 6, 10.5, ANCHOR_START,
			   layout->label_width - RANK_SPACE - 10, label);
	draw_bar(layout, piece, cnt);
	draw_value(layout, unit, piece, cnt);
	markup_close(canvas->markup);
}

static double slowest_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct layout layout = unit_bars_layout_of(canvas, illustration->picture);

	layout.top = legend_draw(canvas, &layout.legend, 0) + LEGEND_GAP;
	for (uint32_t i = 0; i < layout.picture->slowest_cnt; i++)
		draw_row(&layout, i);
	return layout.top + layout.picture->slowest_cnt * ROW_STEP;
}

const struct figure figure_slowest = {
	.name = "slowest",
	.title = "The slowest, one by one",
	.subject = OF_UNITS,
	.applies = slowest_applies,
	.describe = slowest_describe,
	.draw = slowest_draw,
};
