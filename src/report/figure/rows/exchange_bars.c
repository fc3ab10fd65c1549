/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws what an exchange of the pattern connect consists of: of one run, each part as a row that
 * begins where the part before it ends, and of several runs each of them as a bar of its parts.
 *
 *	socket   |=              1.9 us     p50 1.8 us  p99 4.1 us
 *	connect  | =====         6.0 us     ...
 *	queue    |      =        0.8 us
 */
#include "insight/metrics.h"
#include "report/figure/legend.h"
#include "report/figure/matrix/settings.h"
#include "report/figure/rows/frame.h"
#include "report/figure/scale.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <math.h>

#define BAR_HEIGHT   16
#define STEP_WIDE    24
#define GAP_NARROW   9
#define HEAD_HEIGHT  22
#define NOTE_WIDE    270
#define NOTE_NARROW  110
#define LEGEND_SPACE 10
#define BARS_MAX     32

/* The right edges of the columns of a wide figure, from its right edge. */
#define MEAN_X  208
#define SHARE_X 152
#define P50_X   76

/* ---- one run ---- */

static bool exchange_applies(const struct illustration *illustration)
{
	return exchanges_are_cut(&illustration->summary->exchanges);
}

static void exchange_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct exchanges_summary *exchanges = &illustration->summary->exchanges;
	enum exchange_part largest = exchanges_largest(exchanges);
	double all_ns = stat_mean(&exchanges->latency);

	paragraph_add(
		words,
		"An exchange takes %s in the mean, of which %s is %s. The parts are means, in "
		"their order, and add up to it.",
		NS_TEXT(all_ns), PERCENT(stat_mean(&exchanges->part[largest]) / all_ns),
		exchange_parts[largest].title);
}

static double exchange_step(const struct canvas *canvas, const struct row_frame *frame)
{
	return canvas->is_narrow ? frame->name_height + BAR_HEIGHT + GAP_NARROW : STEP_WIDE;
}

static void exchange_cell(const struct canvas *canvas, const char *class, double from_right,
			  double y, const char *text)
{
	label_draw(canvas, class, canvas->width - from_right, y, ANCHOR_END, text);
}

static void exchange_note(const struct canvas *canvas, const struct stat *stat, double all_ns,
			  double y)
{
	double mean_ns = stat_mean(stat), share = mean_ns / all_ns;

	if (canvas->is_narrow) {
		row_note_draw(canvas, "small", y, TEXT("%s, %s", NS_TEXT(mean_ns), PERCENT(share)));
		return;
	}
	exchange_cell(canvas, "strong", MEAN_X, y, NS_TEXT(mean_ns));
	exchange_cell(canvas, NULL, SHARE_X, y, PERCENT(share));
	exchange_cell(canvas, NULL, P50_X, y, NS_TEXT((double)stat_percentile(stat, 50)));
	exchange_cell(canvas, NULL, 0, y, NS_TEXT((double)stat_percentile(stat, 99)));
}

static void exchange_head(const struct canvas *canvas)
{
	if (canvas->is_narrow)
		return;
	exchange_cell(canvas, "soft", MEAN_X, 12, "mean");
	exchange_cell(canvas, "soft", SHARE_X, 12, "share");
	exchange_cell(canvas, "soft", P50_X, 12, "50 %");
	exchange_cell(canvas, "soft", 0, 12, "99 %");
}

/* `from_ns`: where the part begins in the mean exchange. */
static void exchange_row_draw(const struct canvas *canvas, const struct stat *stat,
			      const struct exchange_part_info *part, double from_ns, double all_ns,
			      double y)
{
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW);
	double mean_ns = stat_mean(stat), per_ns = frame.bar_width / all_ns;

	group_open(canvas, "exchange-row");
	data_text(canvas, "part", part->name);
	data_mean(canvas, "from-ns", from_ns);
	data_mean(canvas, "mean-ns", mean_ns);
	data_count(canvas, "p50-ns", stat_percentile(stat, 50));
	data_count(canvas, "p99-ns", stat_percentile(stat, 99));
	tooltip_draw(canvas, "%s: %s: %s in the mean, at most %s", part->title, part->where,
		     NS_TEXT(mean_ns), NS_TEXT((double)stat->max));
	row_name_draw(canvas, NULL, 0, y + 12, frame.name_width, part->title);
	exchange_note(canvas, stat, all_ns, y + 12);
	y += frame.name_height;
	rect_draw(canvas, "track", frame.bar_x, y, frame.bar_width, BAR_HEIGHT);
	rect_draw(canvas, TEXT("fill %s", part->class), frame.bar_x + from_ns * per_ns, y,
		  fmax(1, mean_ns * per_ns), BAR_HEIGHT);
	markup_close(canvas->markup);
}

static double exchange_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	static const struct exchange_part_info whole = {
		"exchange", "exchange", "k0", {"", HUE_GRAY}, "all of it"};
	const struct exchanges_summary *exchanges = &illustration->summary->exchanges;
	struct row_frame frame = row_frame_of(canvas, NOTE_WIDE, NOTE_NARROW);
	double all_ns = fmax(1, stat_mean(&exchanges->latency));
	double y = canvas->is_narrow ? 0 : HEAD_HEIGHT, from_ns = 0;

	exchange_head(canvas);
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++) {
		exchange_row_draw(canvas, &exchanges->part[i], &exchange_parts[i], from_ns, all_ns,
				  y);
		from_ns += stat_mean(&exchanges->part[i]);
		y += exchange_step(canvas, &frame);
	}
	exchange_row_draw(canvas, &exchanges->latency, &whole, 0, all_ns, y);
	return y + exchange_step(canvas, &frame);
}

const struct figure figure_exchange = {
	.name = "exchange",
	.title = "What an exchange consists of",
	.applies = exchange_applies,
	.describe = exchange_describe,
	.draw = exchange_draw,
};

/* ---- several runs ---- */

static bool row_has_exchanges(const struct row *row)
{
	return isfinite(row->number[NUMBER_EXCHANGE_PART + EXCHANGE_CONNECT]);
}

static const struct rows *exchanges_rows(const struct illustration *illustration)
{
	return &illustration->points->merged;
}

static bool exchanges_applies(const struct illustration *illustration)
{
	const struct rows *rows = exchanges_rows(illustration);

	for (size_t i = 0; i < rows->cnt; i++) {
		if (row_has_exchanges(&rows->row[i]))
			return true;
	}
	return false;
}

/* The fastest one of all, or the slowest. */
static const struct row *exchanges_extreme(const struct rows *rows, bool is_slowest)
{
	const struct row *extreme = NULL;

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		double ns = row->number[NUMBER_EXCHANGE];

		if (row_has_exchanges(row) &&
		    (!extreme || (ns > extreme->number[NUMBER_EXCHANGE]) == is_slowest))
			extreme = row;
	}
	return extreme;
}

static void exchanges_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct rows *rows = exchanges_rows(illustration);
	const struct row *fast = exchanges_extreme(rows, false);
	const struct row *slow = exchanges_extreme(rows, true);

	paragraph_add(words, "An exchange takes %s over %s", NS_TEXT(fast->number[NUMBER_EXCHANGE]),
		      fast->info.workload.transport);
	if (slow != fast)
		paragraph_add(words, ", and %s over %s", NS_TEXT(slow->number[NUMBER_EXCHANGE]),
			      slow->info.workload.transport);
	paragraph_add(words, ". Bars are means, to scale.");
}

static void exchanges_part_draw(const struct canvas *canvas, int part, double ns, double x,
				double y, double width)
{
	const struct exchange_part_info *info = &exchange_parts[part];

	rect_open(canvas, TEXT("fill %s", info->class), x, y, width, BAR_HEIGHT);
	data_text(canvas, "part", info->name);
	data_mean(canvas, "ns", ns);
	tooltip_draw(canvas, "%s: %s in the mean", info->title, NS_TEXT(ns));
	markup_close(canvas->markup);
}

static void exchanges_bar_draw(const struct canvas *canvas, const struct row *row, unsigned int set,
			       double longest_ns, double y)
{
	struct row_frame frame = row_frame_of(canvas, NOTE_NARROW, NOTE_NARROW);
	char name[160];
	double x = frame.bar_x;

	settings_words(&row->info.workload, set, name);
	group_open(canvas, "exchange-bar");
	settings_data(canvas, row);
	data_mean(canvas, "mean-ns", row->number[NUMBER_EXCHANGE]);
	row_name_draw(canvas, NULL, 0, y + 12, frame.name_width, name);
	row_note_draw(canvas, "small", y + 12, NS_TEXT(row->number[NUMBER_EXCHANGE]));
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++) {
		double ns = row->number[NUMBER_EXCHANGE_PART + i];
		double width = ns / longest_ns * frame.bar_width;

		if (!(ns > 0))
			continue;
		exchanges_part_draw(canvas, i, ns, x, y + frame.name_height, width);
		x += width;
	}
	markup_close(canvas->markup);
}

static double exchanges_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	const struct rows *rows = exchanges_rows(illustration);
	const struct filter all = {0};
	unsigned int set = rows_differ_in(rows, &all);
	double longest_ns = fmax(1, exchanges_extreme(rows, true)->number[NUMBER_EXCHANGE]);
	struct row_frame frame = row_frame_of(canvas, NOTE_NARROW, NOTE_NARROW);
	struct legend legend = {0};
	uint32_t drawn = 0;
	double y;

	for (int i = 0; i < NR_EXCHANGE_PARTS; i++)
		legend_add(&legend, exchange_parts[i].class, "%s", exchange_parts[i].title);
	y = legend_draw(canvas, &legend, 0) + LEGEND_SPACE;
	for (size_t i = 0; i < rows->cnt && drawn < BARS_MAX; i++) {
		if (!row_has_exchanges(&rows->row[i]))
			continue;
		exchanges_bar_draw(canvas, &rows->row[i], set, longest_ns, y);
		y += exchange_step(canvas, &frame);
		drawn++;
	}
	return y;
}

const struct figure figure_exchanges = {
	.name = "exchanges",
	.title = "What exchanges consist of",
	.subject = OF_RUNS,
	.is_at_a_glance = true,
	.applies = exchanges_applies,
	.describe = exchanges_describe,
	.draw = exchanges_draw,
};
