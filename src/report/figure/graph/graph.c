/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the channels of an attach to several processes as a graph: which one sends to which. A
 * narrow figure has the list of edges only.
 */
#include "model/transport_names.h"
#include "report/figure/graph/view.h"
#include "report/figure/legend.h"
#include "report/figure/rows/frame.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <stdio.h>
#include <stdlib.h>

#define PROCESSES_LEAST 4
#define SPACE           14 /* between the parts of the figure */
#define STEP_WIDE       20
#define STEP_NARROW     56
#define HEAD_HEIGHT     22
#define BASELINE        13 /* of a line, from its top */
#define NUMBER          24 /* width of the numbers of edges */
#define ENDS_WIDE       340
#define CHANNEL_X       376
#define CHANNEL         204

/* As many fit into ENDS_WIDE, and into a narrow figure. */
#define ENDS_COLUMNS 48

/* The right edges of numbers. */
#define MESSAGES_X 660
#define CALLS_X    730
#define HALF_X     800

/* Large: it is not on the stack. */
struct graph {
	struct network network;
	struct graph_view view;
	struct drawing drawing;
};

/* NULL: out of memory. */
static struct graph *graph_new(const struct canvas *canvas, const struct summary *summary)
{
	struct graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	if (network_of(summary, &graph->network)) {
		free(graph);
		return NULL;
	}
	graph->view = (struct graph_view){.summary = summary, .network = &graph->network};
	view_find_levels(&graph->view);
	graph->drawing = (struct drawing){.canvas = canvas, .view = &graph->view};
	drawing_plan(&graph->drawing);
	return graph;
}

static void graph_free(struct graph *graph)
{
	network_clean(&graph->network);
	free(graph);
}

static uint32_t processes_of(const struct network *network)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < network->node_cnt; i++)
		cnt += network->node[i].processes;
	return cnt;
}

/* The table of channels says as much of fewer processes. */
static bool graph_applies(const struct illustration *illustration)
{
	struct network *network = calloc(1, sizeof(*network));
	bool has_many = network && !network_of(illustration->summary, network) &&
			processes_of(network) >= PROCESSES_LEAST;

	if (network)
		network_clean(network);
	free(network);
	return has_many;
}

static void graph_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct canvas canvas = {.width = FIGURE_WIDE};
	struct graph *graph = graph_new(&canvas, illustration->summary);
	const struct network_edge *first;
	char from[NODE_NAME_LEN], to[NODE_NAME_LEN];
	uint64_t messages = 0;

	if (!graph)
		return;
	first = graph->network.edge;
	for (uint32_t i = 0; i < graph->network.edge_cnt; i++)
		messages += graph->network.edge[i].messages;
	messages += graph->network.messages_more;
	node_name(&graph->view, first->from, from);
	node_name(&graph->view, first->to, to);
	paragraph_add(
		words,
		"%u processes exchange %llu messages. The largest share, %s, goes from %.*s to "
		"%.*s; 99 %% of these take at most %s.",
		processes_of(&graph->network), (unsigned long long)messages,
		PERCENT(messages ? (double)first->messages / (double)messages : 0), NAME_LEN, from,
		NAME_LEN, to, NS_TEXT((double)stat_percentile(&first->latency, 99)));
	graph_free(graph);
}

/* Returns its height. */
static double graph_draw_legend(const struct canvas *canvas, const struct levels *levels)
{
	static const char *const classes[LEVELS_MAX] = {"e0", "e1", "e2", "e3"};
	struct legend legend = {0};

	for (int i = 0; levels->cnt > 1 && i < levels->cnt; i++)
		legend_add(&legend, classes[i], "%s%s to %s", i ? "" : "99 % within ",
			   NS_TEXT(levels->bound_ns[i]), NS_TEXT(levels->bound_ns[i + 1]));
	return legend_draw(canvas, &legend, 0);
}

static void end_data(const struct canvas *canvas, const struct graph_view *view,
		     const char *pid_name, const char *name, uint32_t node)
{
	const struct network_node *of = &view->network->node[node];

	if (of->end.pid && !tid_is_outside(of->end.pid))
		data_count(canvas, pid_name, of->end.pid);
	data_text(canvas, name, of->end.comm);
}

static void edge_data(const struct canvas *canvas, const struct graph_view *view,
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

static void graph_head_draw(const struct canvas *canvas, double y)
{
	label_draw(canvas, "soft", NUMBER + 4, y, ANCHOR_START, "sender → receiver");
	label_draw(canvas, "soft", CHANNEL_X, y, ANCHOR_START, "over");
	label_draw(canvas, "soft", MESSAGES_X, y, ANCHOR_END, "messages");
	label_draw(canvas, "soft", CALLS_X, y, ANCHOR_END, "calls");
	label_draw(canvas, "soft", HALF_X, y, ANCHOR_END, "50 %");
	label_draw(canvas, "soft", canvas->width, y, ANCHOR_END, "99 %");
}

/* Returns where it ends. */
static double edge_list_draw(const struct canvas *canvas, const struct graph_view *view, double y)
{
	if (!canvas->is_narrow) {
		graph_head_draw(canvas, y + BASELINE);
		y += HEAD_HEIGHT;
	}
	for (uint32_t i = 0; i < view->network->edge_cnt; i++) {
		const struct network_edge *edge = &view->network->edge[i];

		group_open(canvas, "edge");
		edge_data(canvas, view, edge);
		edge_tooltip(canvas, view, edge);
		label_draw(canvas, "soft", NUMBER - 10, y + BASELINE, ANCHOR_END,
			   TEXT("%u", i + 1));
		rect_draw(canvas, TEXT("swatch %s", level_class(view, edge)), NUMBER - 6,
			  y + BASELINE - 9, 4, 11);
		(canvas->is_narrow ? narrow_draw : wide_draw)(canvas, view, edge, y + BASELINE);
		markup_close(canvas->markup);
		y += canvas->is_narrow ? STEP_NARROW : STEP_WIDE;
	}
	return y;
}

static double graph_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct graph *graph = graph_new(canvas, illustration->summary);
	double y;

	if (!graph)
		return 0;
	y = graph_draw_legend(canvas, &graph->view.levels) + SPACE / 2.0;
	graph->drawing.top = y;
	if (!canvas->is_narrow)
		y = drawing_put(&graph->drawing) + SPACE;
	y = edge_list_draw(canvas, &graph->view, y);
	if (!canvas->is_narrow)
		y += row_words_draw(
			canvas, y,
			"The more messages, the wider a line; the slower, the stronger its "
			"colour. Numbers are those of the list, times those of 99 % of the "
			"messages.");
	if (graph->network.channels_more)
		y += row_words_draw(canvas, y,
				    TEXT("%u more channel%s with %llu message%s %s not drawn.",
					 graph->network.channels_more,
					 plural(graph->network.channels_more),
					 (unsigned long long)graph->network.messages_more,
					 plural(graph->network.messages_more),
					 graph->network.channels_more == 1 ? "is" : "are"));
	graph_free(graph);
	return y;
}

const struct figure figure_graph = {
	.name = "graph",
	.title = "Processes and channels",
	.applies = graph_applies,
	.describe = graph_describe,
	.draw = graph_draw,
};
