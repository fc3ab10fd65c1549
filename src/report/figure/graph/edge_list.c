/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the list of edges: which process sends to which, over what, how often, how long. */
#include "report/figure/graph/drawing.h"

#include "model/transport_names.h"
#include "report/figure/rows/rows.h"
#include "report/figure/scale.h"
#include "report/labels.h"
#include "report/text/layout.h"

#include <stdio.h>

#define STEP_WIDE   20
#define STEP_NARROW 56
#define HEAD_HEIGHT 22
#define NUMBER      24 /* width of the numbers of edges */
#define ENDS_WIDE   320
#define CHANNEL_X   360
#define CHANNEL     220

/* The right edges of numbers. */
#define MESSAGES_X 660
#define CALLS_X    730
#define HALF_X     800

static const char *or_unknown(const char *text)
{
	return text && text[0] ? text : "?";
}

static void channel_words(const struct network_edge *edge, char words[NODE_NAME_LEN])
{
	const char *transport = or_unknown(transport_id_name(edge->transport));

	if (edge->name[0])
		snprintf(words, NODE_NAME_LEN, "%s %s", transport, edge->name);
	else
		snprintf(words, NODE_NAME_LEN, "%s, %u channel%s", transport, edge->channels,
			 plural(edge->channels));
}

static void ends_words(const struct drawing *drawing, const struct network_edge *edge,
		       char words[2 * NODE_NAME_LEN + 8])
{
	char from[NODE_NAME_LEN], to[NODE_NAME_LEN];

	node_name(drawing, edge->from, from);
	node_name(drawing, edge->to, to);
	snprintf(words, 2 * NODE_NAME_LEN + 8, "%s → %s", from, to);
}

void edge_tooltip(const struct drawing *drawing, const struct network_edge *edge)
{
	char from[64], to[64], ends[2 * NODE_NAME_LEN + 8], channel[NODE_NAME_LEN];

	ends_words(drawing, edge, ends);
	channel_words(edge, channel);
	node_remark(drawing, edge->from, from);
	node_remark(drawing, edge->to, to);
	tooltip_draw(drawing->canvas,
		     "%s (%s → %s), %s: %llu messages, %llu calls; 50 %% take at most %s, 99 %% at "
		     "most %s, the longest %s",
		     ends, from, to, channel, (unsigned long long)edge->messages,
		     (unsigned long long)edge->calls,
		     NS_TEXT((double)stat_percentile(&edge->latency, 50)),
		     NS_TEXT((double)stat_percentile(&edge->latency, 99)),
		     NS_TEXT((double)edge->latency.max));
}

static double step(const struct drawing *drawing)
{
	return drawing->canvas->is_narrow ? STEP_NARROW : STEP_WIDE;
}

double edge_list_height(const struct drawing *drawing)
{
	return (drawing->canvas->is_narrow ? 0 : HEAD_HEIGHT) +
	       step(drawing) * drawing->network->edge_cnt;
}

static void end_data(const struct drawing *drawing, const char *pid_name, const char *name,
		     uint32_t node)
{
	const struct network_node *of = &drawing->network->node[node];

	if (of->end.pid && !tid_is_outside(of->end.pid))
		data_count(drawing->canvas, pid_name, of->end.pid);
	data_text(drawing->canvas, name, of->end.comm);
}

static void data_draw(const struct drawing *drawing, const struct network_edge *edge)
{
	const struct canvas *canvas = drawing->canvas;

	end_data(drawing, "from-pid", "from", edge->from);
	end_data(drawing, "to-pid", "to", edge->to);
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

static void swatch_draw(const struct drawing *drawing, const struct network_edge *edge, double y)
{
	char class[32];

	snprintf(class, sizeof(class), "swatch %s", level_class(drawing, edge));
	rect_draw(drawing->canvas, class, NUMBER - 6, y - 9, 4, 11);
}

static const char *time_text(const struct stat *latency, double percent, char text[MEASURE_LEN])
{
	double ns = (double)stat_percentile(latency, percent);

	if (latency->count)
		return measure_text(MEASURE_NS, ns, ns, 0, text);
	snprintf(text, MEASURE_LEN, "-");
	return text;
}

static void wide_draw(const struct drawing *drawing, const struct network_edge *edge, double y)
{
	const struct canvas *canvas = drawing->canvas;
	char ends[2 * NODE_NAME_LEN + 8], channel[NODE_NAME_LEN], text[MEASURE_LEN];

	ends_words(drawing, edge, ends);
	channel_words(edge, channel);
	row_name_draw(canvas, NULL, NUMBER + 4, y, ENDS_WIDE, ends);
	row_name_draw(canvas, "soft", CHANNEL_X, y, CHANNEL, channel);
	label_draw(canvas, NULL, MESSAGES_X, y, ANCHOR_END, COUNT_TEXT((double)edge->messages));
	if (edge->calls)
		label_draw(canvas, NULL, CALLS_X, y, ANCHOR_END, COUNT_TEXT((double)edge->calls));
	label_draw(canvas, NULL, HALF_X, y, ANCHOR_END, time_text(&edge->latency, 50, text));
	label_draw(canvas, "strong", canvas->width, y, ANCHOR_END,
		   time_text(&edge->latency, 99, text));
}

static void narrow_draw(const struct drawing *drawing, const struct network_edge *edge, double y)
{
	const struct canvas *canvas = drawing->canvas;
	char ends[2 * NODE_NAME_LEN + 8], channel[NODE_NAME_LEN], note[LABEL_LEN];
	char half[MEASURE_LEN], p99[MEASURE_LEN];
	double width = canvas->width - NUMBER - 4;

	ends_words(drawing, edge, ends);
	channel_words(edge, channel);
	snprintf(note, sizeof(note), "%s message%s, 50 %% within %s, 99 %% within %s",
		 COUNT_TEXT((double)edge->messages), plural(edge->messages),
		 time_text(&edge->latency, 50, half), time_text(&edge->latency, 99, p99));
	row_name_draw(canvas, NULL, NUMBER + 4, y, width, ends);
	row_name_draw(canvas, "soft", NUMBER + 4, y + LINE_STEP, width, channel);
	label_draw(canvas, "small", NUMBER + 4, y + 2 * LINE_STEP, ANCHOR_START, note);
}

static void head_draw(const struct drawing *drawing, double y)
{
	const struct canvas *canvas = drawing->canvas;

	label_draw(canvas, "soft", NUMBER + 4, y, ANCHOR_START, "sender → receiver");
	label_draw(canvas, "soft", CHANNEL_X, y, ANCHOR_START, "over");
	label_draw(canvas, "soft", MESSAGES_X, y, ANCHOR_END, "messages");
	label_draw(canvas, "soft", CALLS_X, y, ANCHOR_END, "calls");
	label_draw(canvas, "soft", HALF_X, y, ANCHOR_END, "50 %");
	label_draw(canvas, "soft", canvas->width, y, ANCHOR_END, "99 %");
}

void edge_list_draw(const struct drawing *drawing, double y)
{
	const struct canvas *canvas = drawing->canvas;

	y += 13;
	if (!canvas->is_narrow) {
		head_draw(drawing, y);
		y += HEAD_HEIGHT;
	}
	for (uint32_t i = 0; i < drawing->network->edge_cnt; i++) {
		const struct network_edge *edge = &drawing->network->edge[i];
		char number[16];

		snprintf(number, sizeof(number), "%u", i + 1);
		group_open(canvas, "edge");
		data_draw(drawing, edge);
		edge_tooltip(drawing, edge);
		label_draw(canvas, "soft", NUMBER - 10, y, ANCHOR_END, number);
		swatch_draw(drawing, edge, y);
		(canvas->is_narrow ? narrow_draw : wide_draw)(drawing, edge, y);
		markup_close(canvas->markup);
		y += step(drawing);
	}
}
