/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words for the nodes and edges of a network, and how strong the colour of an edge is. */
#include "report/figure/graph/view.h"

#include "model/transport_names.h"
#include "report/words/labels.h"
#include "report/words/explain/cause_words.h"
#include "report/words/paragraph.h"
#include "util/plain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_LEAST 8 /* columns */

void node_name(const struct graph_view *view, uint32_t node, char name[NODE_NAME_LEN])
{
	const struct network_node *of = &view->network->node[node];
	char process[NAME_LEN];

	process_name(view->summary, &of->end, process);
	if (of->processes > 1)
		snprintf(name, NODE_NAME_LEN, "%u × %s", of->processes, process);
	else
		snprintf(name, NODE_NAME_LEN, "%s", process);
}

void node_remark(const struct graph_view *view, uint32_t node, char remark[64])
{
	const struct network_node *of = &view->network->node[node];
	char pid[NAME_LEN];

	number_title("pid ", of->end.pid, pid);
	if (of->processes > 1)
		snprintf(remark, 64, "%u processes", of->processes);
	else if (!of->end.pid)
		snprintf(remark, 64, "%s", of->end.comm[0] ? "several processes" : "not known");
	else
		snprintf(remark, 64, "%.63s", pid);
}

void node_threads(const struct graph_view *view, uint32_t node, char words[LABEL_LEN])
{
	const struct network_node *of = &view->network->node[node];
	int length = 0;

	words[0] = '\0';
	for (uint32_t i = 0; i < of->thread_cnt; i++)
		length += snprintf(words + length, LABEL_LEN - length, "%s%s",
				   i                    ? ", "
				   : of->thread_cnt > 1 ? ", threads "
							: ", thread ",
				   of->thread[i]);
	if (of->has_more_threads)
		snprintf(words + length, LABEL_LEN - length, ", ...");
}

const char *level_class(const struct graph_view *view, const struct network_edge *edge)
{
	static const char *const classes[LEVELS_MAX] = {"e0", "e1", "e2", "e3"};
	double p99 = (double)stat_percentile(&edge->latency, 99);
	int level = 0;

	while (level + 1 < view->levels.cnt && p99 >= view->levels.bound_ns[level + 1])
		level++;
	return classes[level];
}

/* Levels of equal height on a logarithmic scale. One, if all edges are about as slow. */
void view_find_levels(struct graph_view *view)
{
	struct levels *levels = &view->levels;
	double least = INFINITY, most = 1;

	for (uint32_t i = 0; i < view->network->edge_cnt; i++) {
		double p99 = (double)stat_percentile(&view->network->edge[i].latency, 99);

		if (p99 <= 0)
			continue;
		least = fmin(least, p99);
		most = fmax(most, p99);
	}
	least = fmin(least, most);
	levels->cnt = most < 1.5 * least ? 1 : LEVELS_MAX;
	for (int i = 0; i <= levels->cnt; i++)
		levels->bound_ns[i] = least * pow(most / least, (double)i / levels->cnt);
}

void channel_words(const struct network_edge *edge, char words[NODE_NAME_LEN])
{
	const char *name = transport_id_name(edge->transport) ?: "?";
	size_t length = strlen(name);

	/* "pipe:[4711]" says that it is a pipe. */
	if (!edge->name[0])
		snprintf(words, NODE_NAME_LEN, "%s, %u channel%s", name, edge->channels,
			 plural(edge->channels));
	else if (!strncmp(edge->name, name, length) && edge->name[length] == ':')
		snprintf(words, NODE_NAME_LEN, "%s", edge->name);
	else
		snprintf(words, NODE_NAME_LEN, "%s %s", name, edge->name);
}

/* " (pid 12)" for a node whose name others have, too. */
static void number_words(const struct graph_view *view, uint32_t node, char words[64 + 4])
{
	char name[NODE_NAME_LEN], other[NODE_NAME_LEN], remark[64];
	bool is_unique = true;

	node_name(view, node, name);
	for (uint32_t i = 0; i < view->network->node_cnt; i++) {
		node_name(view, i, other);
		is_unique &= i == node || strcmp(name, other) != 0;
	}
	node_remark(view, node, remark);
	snprintf(words, 64 + 4, is_unique ? "%s" : " (%s)", is_unique ? "" : remark);
}

void ends_words(const struct graph_view *view, const struct network_edge *edge, int columns,
		char words[ENDS_LEN])
{
	const uint32_t node[] = {edge->from, edge->to};
	char name[2][NODE_NAME_LEN], number[2][64 + 4], cut[2][CLAUSE_LEN];
	int left = columns - (int)strlen(" > ");

	for (int i = 0; i < 2; i++) {
		node_name(view, node[i], name[i]);
		number_words(view, node[i], number[i]);
		left -= plain_columns(number[i]);
	}
	for (int i = 0; i < 2; i++) {
		int other = plain_columns(name[!i]);
		int room = left - (other < left / 2 ? other : left / 2);

		label_cut(name[i], room > NAME_LEAST ? room : NAME_LEAST, cut[i]);
	}
	snprintf(words, ENDS_LEN, "%s%s → %s%s", cut[0], number[0], cut[1], number[1]);
}

void edge_tooltip(const struct canvas *canvas, const struct graph_view *view,
		  const struct network_edge *edge)
{
	char from[64], to[64], ends[ENDS_LEN], channel[NODE_NAME_LEN];

	ends_words(view, edge, ENDS_LEN, ends);
	channel_words(edge, channel);
	node_remark(view, edge->from, from);
	node_remark(view, edge->to, to);
	tooltip_draw(canvas,
		     "%s (%s → %s), %s: %llu messages, %llu calls; 50 %% take at most %s, 99 %% at "
		     "most %s, the longest %s",
		     ends, from, to, channel, (unsigned long long)edge->messages,
		     (unsigned long long)edge->calls,
		     NS_TEXT((double)stat_percentile(&edge->latency, 50)),
		     NS_TEXT((double)stat_percentile(&edge->latency, 99)),
		     NS_TEXT((double)edge->latency.max));
}
