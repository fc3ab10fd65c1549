/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the channels of an attach as a graph: which process sends to which. A narrow figure has the
 * list of edges only.
 */
#include "report/figure/graph/drawing.h"
#include "report/figure/graph/edge_list.h"
#include "report/figure/legend.h"
#include "report/figure/rows/rows.h"
#include "report/figure/scale.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SPACE 14 /* between the parts of the figure */

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
	if (graph)
		network_clean(&graph->network);
	free(graph);
}

static bool applies(const struct illustration *illustration)
{
	const struct summary *summary = illustration->summary;

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		if (summary->channel[i].transport)
			return true;
	}
	return false;
}

static uint32_t processes_of(const struct network *network)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < network->node_cnt; i++)
		cnt += network->node[i].processes;
	return cnt;
}

static void describe(const struct illustration *illustration, char *text, size_t size)
{
	const struct canvas canvas = {.width = FIGURE_WIDE};
	struct graph *graph = graph_new(&canvas, illustration->summary);
	const struct network_edge *first = graph ? graph->network.edge : NULL;
	char from[NODE_NAME_LEN], to[NODE_NAME_LEN];
	uint64_t messages = 0;

	if (!graph || !graph->network.edge_cnt) {
		snprintf(text, size, "There are no channels to show.");
		graph_free(graph);
		return;
	}
	for (uint32_t i = 0; i < graph->network.edge_cnt; i++)
		messages += graph->network.edge[i].messages;
	messages += graph->network.messages_more;
	node_name(&graph->view, first->from, from);
	node_name(&graph->view, first->to, to);
	snprintf(text, size,
		 "%u process%s %llu messages. The largest share, %s, goes from %.*s to %.*s; 99 %% "
		 "of these take at most %s.",
		 processes_of(&graph->network),
		 processes_of(&graph->network) == 1 ? " sends itself" : "es exchange",
		 (unsigned long long)messages,
		 PERCENT(messages ? (double)first->messages / (double)messages : 0), NAME_LEN, from,
		 NAME_LEN, to, NS_TEXT((double)stat_percentile(&first->latency, 99)));
	graph_free(graph);
}

static int fill_legend(const struct graph_view *view, struct legend_entry entry[LEVELS_MAX])
{
	static const char *const classes[LEVELS_MAX] = {"e0", "e1", "e2", "e3"};
	const struct levels *levels = &view->levels;

	if (levels->cnt < 2)
		return 0;
	for (int i = 0; i < levels->cnt; i++) {
		entry[i] = (struct legend_entry){.class = classes[i]};
		snprintf(entry[i].label, sizeof(entry[i].label), "%s%s to %s",
			 i ? "" : "99 % within ", NS_TEXT(levels->bound_ns[i]),
			 NS_TEXT(levels->bound_ns[i + 1]));
	}
	return levels->cnt;
}

/* A narrow figure has no lines. */
static const char *line_words(const struct canvas *canvas)
{
	return canvas->is_narrow ? ""
				 : "The more messages, the wider a line; the slower, the stronger "
				   "its colour. Numbers are those of the list, times those of 99 % "
				   "of the messages.";
}

static void more_words(const struct network *network, char words[LABEL_LEN])
{
	words[0] = '\0';
	if (network->channels_more)
		snprintf(words, LABEL_LEN, "%u more channel%s with %llu message%s %s not drawn.",
			 network->channels_more, plural(network->channels_more),
			 (unsigned long long)network->messages_more, plural(network->messages_more),
			 network->channels_more == 1 ? "is" : "are");
}

static double put(const struct canvas *canvas, struct graph *graph)
{
	struct legend_entry entry[LEVELS_MAX];
	char words[LABEL_LEN];
	double y = legend_draw(canvas, entry, fill_legend(&graph->view, entry), 0) + SPACE / 2.0;

	graph->drawing.top = y;
	if (!canvas->is_narrow)
		y = drawing_put(&graph->drawing) + SPACE;
	y = edge_list_draw(canvas, &graph->view, y);
	y += row_words_draw(canvas, y, line_words(canvas));
	more_words(&graph->network, words);
	return y + row_words_draw(canvas, y, words);
}

static double draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct graph *graph = graph_new(canvas, illustration->summary);
	double height = graph ? put(canvas, graph) : 0;

	graph_free(graph);
	return height;
}

const struct figure figure_graph = {
	.name = "graph",
	.title = "Processes and channels",
	.applies = applies,
	.describe = describe,
	.draw = draw,
};
