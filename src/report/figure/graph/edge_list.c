/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the list of edges: which process sends to which, over what, how often, how long. */
#include "report/figure/graph/edge_list.h"

#include "model/transport_names.h"
#include "report/figure/rows/rows.h"
#include "report/figure/scale.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <stdio.h>

#define STEP_WIDE   20
#define STEP_NARROW 56
#define HEAD_HEIGHT 22
#define BASELINE    13 /* of a line, from its top */
#define NUMBER      24 /* width of the numbers of edges */
#define ENDS_WIDE   340
#define CHANNEL_X   376
#define CHANNEL     204

/* As many fit into ENDS_WIDE, and into a narrow figure. */
#define ENDS_COLUMNS 48

/* The right edges of numbers. */
#define MESSAGES_X 660
#define CALLS_X    730
#define HALF_X     800

static void end_data(const struct canvas *canvas, const struct graph_view *view,
		     const char *pid_name, const char *name, uint32_t node)
{
	const struct network_node *of = &view->network->node[node];

	if (of->end.pid && !tid_is_outside(of->end.pid))
		data_count(canvas, pid_name, of->end.pid);
	data_text(canvas, name, of->end.comm);
}

static void data_draw(const struct canvas *canvas, const struct graph_view *view,
		      const struct network_edge *edge)
{
	end_data(canvas, view, "from-pid", "from", edge->from);
	end_data(canvas, view, "to-pid", "to", edge->to);
	data_text(canvas, "transport", transport_id_name(edge->transport));
	data_text(canvas, "channel", edge->name);
	data_count(canvas, "channels", edge->channels);
	data_count(canvas, "messages", edge->messages);
	data_count(canvas, "bytes", edge->bytes);
	data_count(canvas, "calls", edge->calls);
	if (!edge->latency.count)
		return;
	data_count(canvas, "p50-ns", stat_percentile(&edge->latency, 50));
	data_count(canvas, "p99-ns", stat_percentile(&edge->latency, 99));
	data_count(canvas, "max-ns", edge->latency.max);
}

static void swatch_draw(const struct canvas *canvas, const struct graph_view *view,
			const struct network_edge *edge, double y)
{
	char class[32];

	snprintf(class, sizeof(class), "swatch %s", level_class(view, edge));
	rect_draw(canvas, class, NUMBER - 6, y - 9, 4, 11);
}

static const char *time_text(const struct stat *latency, double percent, char text[MEASURE_LEN])
{
	double ns = (double)stat_percentile(latency, percent);

	if (latency->count)
		return measure_text(MEASURE_NS, ns, ns, 0, text);
	snprintf(text, MEASURE_LEN, "-");
	return text;
}

static void wide_draw(const struct canvas *canvas, const struct graph_view *view,
		      const struct network_edge *edge, double y)
{
	char ends[ENDS_LEN], channel[NODE_NAME_LEN], text[MEASURE_LEN];

	ends_words(view, edge, ENDS_COLUMNS, ends);
	channel_words(edge, channel);
	row_name_draw(canvas, NULL, NUMBER + 4, y, ENDS_WIDE, ends);
	row_path_draw(canvas, "soft", CHANNEL_X, y, CHANNEL, channel);
	label_draw(canvas, NULL, MESSAGES_X, y, ANCHOR_END, COUNT_TEXT((double)edge->messages));
	if (edge->calls)
		label_draw(canvas, NULL, CALLS_X, y, ANCHOR_END, COUNT_TEXT((double)edge->calls));
	label_draw(canvas, NULL, HALF_X, y, ANCHOR_END, time_text(&edge->latency, 50, text));
	label_draw(canvas, "strong", canvas->width, y, ANCHOR_END,
		   time_text(&edge->latency, 99, text));
}

static void narrow_draw(const struct canvas *canvas, const struct graph_view *view,
			const struct network_edge *edge, double y)
{
	char ends[ENDS_LEN], channel[NODE_NAME_LEN], note[LABEL_LEN];
	char half[MEASURE_LEN], p99[MEASURE_LEN];
	double width = canvas->width - NUMBER - 4;

	ends_words(view, edge, ENDS_COLUMNS, ends);
	channel_words(edge, channel);
	snprintf(note, sizeof(note), "%s message%s, 50 %% within %s, 99 %% within %s",
		 COUNT_TEXT((double)edge->messages), plural(edge->messages),
		 time_text(&edge->latency, 50, half), time_text(&edge->latency, 99, p99));
	row_name_draw(canvas, NULL, NUMBER + 4, y, width, ends);
	row_path_draw(canvas, "soft", NUMBER + 4, y + LINE_STEP, width, channel);
	label_draw(canvas, "small", NUMBER + 4, y + 2 * LINE_STEP, ANCHOR_START, note);
}

static void head_draw(const struct canvas *canvas, double y)
{
	label_draw(canvas, "soft", NUMBER + 4, y, ANCHOR_START, "sender → receiver");
	label_draw(canvas, "soft", CHANNEL_X, y, ANCHOR_START, "over");
	label_draw(canvas, "soft", MESSAGES_X, y, ANCHOR_END, "messages");
	label_draw(canvas, "soft", CALLS_X, y, ANCHOR_END, "calls");
	label_draw(canvas, "soft", HALF_X, y, ANCHOR_END, "50 %");
	label_draw(canvas, "soft", canvas->width, y, ANCHOR_END, "99 %");
}

double edge_list_draw(const struct canvas *canvas, const struct graph_view *view, double y)
{
	if (!canvas->is_narrow) {
		head_draw(canvas, y + BASELINE);
		y += HEAD_HEIGHT;
	}
	for (uint32_t i = 0; i < view->network->edge_cnt; i++) {
		const struct network_edge *edge = &view->network->edge[i];
		char number[16];

		snprintf(number, sizeof(number), "%u", i + 1);
		group_open(canvas, "edge");
		data_draw(canvas, view, edge);
		edge_tooltip(canvas, view, edge);
		label_draw(canvas, "soft", NUMBER - 10, y + BASELINE, ANCHOR_END, number);
		swatch_draw(canvas, view, edge, y + BASELINE);
		(canvas->is_narrow ? narrow_draw : wide_draw)(canvas, view, edge, y + BASELINE);
		markup_close(canvas->markup);
		y += canvas->is_narrow ? STEP_NARROW : STEP_WIDE;
	}
	return y;
}
