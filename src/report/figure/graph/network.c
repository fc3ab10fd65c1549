/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes nodes and edges of the channels of an attach. */
#include "report/figure/graph/network.h"

#include "model/channel_group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process, before the ones that are alike become one node. */
struct process {
	struct end_summary end;
	const char *script;  /* borrowed; NULL: none */
	bool has_its_name;   /* not only that of one of its threads */
	uint32_t same_as;    /* the first of those that are alike */
	bool is_alone;       /* they are too few to be one node */
	uint32_t node;       /* 1 + index; 0: it has none */
	uint64_t neighbours; /* a bit for each; several may share one */
};

/* A channel, or several of one service. */
struct flow {
	uint32_t from; /* processes */
	uint32_t to;
	const struct channel_summary *channel;
	char name[CHANNEL_NAME_LEN];
};

struct draft {
	const struct summary *summary;
	struct process *process; /* [process_cnt] */
	uint32_t process_cnt;
	struct flow *flow; /* [flow_cnt] */
	uint32_t flow_cnt;
};

/* A process without a number is known by its name only. */
static uint32_t process_index(struct draft *draft, const struct end_summary *end)
{
	uint32_t i = 0;

	for (; i < draft->process_cnt; i++) {
		const struct end_summary *other = &draft->process[i].end;

		if (other->pid == end->pid && (end->pid || !strcmp(other->comm, end->comm)))
			return i;
	}
	draft->process[i] = (struct process){
		.end = *end,
		.script = end->pid ? summary_script(draft->summary, end->pid) : NULL,
		.same_as = i,
	};
	return draft->process_cnt++;
}

static uint32_t network_process_of(struct draft *draft, const struct channel_summary *channel,
				   bool is_sender)
{
	const char *name = is_sender ? channel->sender_process : channel->receiver_process;
	const struct end_summary *thread = is_sender ? &channel->sender : &channel->receiver;
	struct end_summary end = channel_process(channel, is_sender);
	uint32_t index = process_index(draft, &end);
	struct process *process = &draft->process[index];

	if (!process->has_its_name && (name[0] || thread->tid == thread->pid)) {
		process->end = end;
		process->has_its_name = true;
	}
	return index;
}

/* Channels of a service have the name of the service, others their own. */
static void flow_name(const struct channel_summary *channel, char name[CHANNEL_NAME_LEN])
{
	struct channel_summary group = *channel;
	char key[CHANNEL_KEY_LEN];

	if (channel_group_key(channel, key))
		channel_group_begin(&group);
	memcpy(name, group.name, CHANNEL_NAME_LEN);
}

/* "131 other channels" have no ends. */
static bool network_has_ends(const struct channel_summary *channel)
{
	return channel->transport > 0;
}

static uint64_t neighbour_bit(uint32_t process, uint32_t transport, bool is_sender)
{
	return 1ULL << ((process * 37 + transport * 5 + is_sender) % 64);
}

static void note_neighbours(struct draft *draft, const struct flow *flow)
{
	uint32_t transport = flow->channel->transport;

	draft->process[flow->from].neighbours |= neighbour_bit(flow->to, transport, false);
	draft->process[flow->to].neighbours |= neighbour_bit(flow->from, transport, true);
}

static void make_flows(struct draft *draft)
{
	for (uint32_t i = 0; i < draft->summary->channel_cnt; i++) {
		const struct channel_summary *channel = &draft->summary->channel[i];
		struct flow *flow = &draft->flow[draft->flow_cnt];

		if (!network_has_ends(channel))
			continue;
		*flow = (struct flow){.channel = channel};
		flow->from = network_process_of(draft, channel, true);
		flow->to = network_process_of(draft, channel, false);
		flow_name(channel, flow->name);
		note_neighbours(draft, flow);
		draft->flow_cnt++;
	}
}

/* Whether `a` has a flow to, or from, wherever `b` has one. */
static bool has_neighbours_of(const struct draft *draft, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < draft->flow_cnt; i++) {
		const struct flow *of_b = &draft->flow[i];
		bool has = of_b->from != b && of_b->to != b;

		for (uint32_t k = 0; k < draft->flow_cnt && !has; k++) {
			const struct flow *of_a = &draft->flow[k];

			if (of_a->channel->transport != of_b->channel->transport)
				continue;
			has = of_b->from == b ? of_a->from == a && of_a->to == of_b->to
					      : of_a->to == a && of_a->from == of_b->from;
		}
		if (!has)
			return false;
	}
	return true;
}

static bool is_alike(const struct draft *draft, uint32_t a, uint32_t b)
{
	const struct process *x = &draft->process[a], *y = &draft->process[b];

	return x->neighbours == y->neighbours && !strcmp(x->end.comm, y->end.comm) &&
	       (x->script == y->script ||
		(x->script && y->script && !strcmp(x->script, y->script))) &&
	       has_neighbours_of(draft, a, b) && has_neighbours_of(draft, b, a);
}

static uint32_t count_alike(const struct draft *draft, uint32_t first)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < draft->process_cnt; i++)
		cnt += draft->process[i].same_as == first;
	return cnt;
}

/* Any of those that are alike may be among the processes of one without a number. */
static bool has_unnumbered(const struct draft *draft, uint32_t first)
{
	for (uint32_t i = 0; i < draft->process_cnt; i++) {
		const struct process *process = &draft->process[i];

		/* Several processes, or one whose number is not known. */
		if (process->same_as == first && !process->end.pid && process->end.comm[0])
			return true;
	}
	return false;
}

static void find_alike(struct draft *draft)
{
	for (uint32_t i = 1; i < draft->process_cnt; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (draft->process[k].same_as != k || !is_alike(draft, i, k))
				continue;
			draft->process[i].same_as = k;
			break;
		}
	}
	for (uint32_t i = 0; i < draft->process_cnt; i++) {
		uint32_t first = draft->process[i].same_as;

		draft->process[i].is_alone = count_alike(draft, first) < PROCESSES_ALIKE_MIN &&
					     !has_unnumbered(draft, first);
	}
	for (uint32_t i = 0; i < draft->process_cnt; i++) {
		if (draft->process[i].is_alone)
			draft->process[i].same_as = i;
	}
}

/* 1 + index; 0: there is no room. */
static uint32_t network_node_of(struct draft *draft, struct network *network, uint32_t process)
{
	struct process *first = &draft->process[draft->process[process].same_as];
	uint32_t alike = count_alike(draft, draft->process[process].same_as);
	struct network_node *node;

	if (first->node)
		return first->node;
	if (network->node_cnt == NETWORK_NODES_MAX)
		return 0;
	node = &network->node[network->node_cnt++];
	*node = (struct network_node){.end = first->end, .processes = alike};
	if (alike > 1)
		node->end.pid = 0;
	if (has_unnumbered(draft, draft->process[process].same_as))
		node->processes = 1;
	first->node = network->node_cnt;
	return first->node;
}

/* Channels without a service are one edge, as each has a name of its own. */
static bool network_is_of(const struct network_edge *edge, uint32_t from, uint32_t to,
			  const struct flow *flow)
{
	bool is_service = flow->channel->named & ADDRESS_OF_BOTH;

	return edge->from == from && edge->to == to &&
	       edge->transport == flow->channel->transport &&
	       (!strcmp(edge->name, flow->name) ||
		(!is_service && !edge->is_asked && !edge->is_answered));
}

/* NULL: there is no room. */
static struct network_edge *edge_of(struct network *network, uint32_t from, uint32_t to,
				    const struct flow *flow)
{
	uint32_t named = flow->channel->named & ADDRESS_OF_BOTH;
	struct network_edge *edge = network->edge;

	for (; edge < network->edge + network->edge_cnt; edge++) {
		if (network_is_of(edge, from, to, flow))
			return edge;
	}
	if (network->edge_cnt == NETWORK_EDGES_MAX)
		return NULL;
	network->edge_cnt++;
	*edge = (struct network_edge){
		.from = from,
		.to = to,
		.transport = flow->channel->transport,
		.is_asked = named == ADDRESS_OF_RECEIVER,
		.is_answered = named == ADDRESS_OF_SENDER,
	};
	memcpy(edge->name, flow->name, sizeof(edge->name));
	return edge;
}

static uint32_t network_channels_of(const struct channel_summary *channel)
{
	return channel->folded ?: 1;
}

static void network_add_thread(struct network_node *node, const struct end_summary *thread)
{
	if (!thread->comm[0] || !strcmp(thread->comm, node->end.comm))
		return;
	for (uint32_t i = 0; i < node->thread_cnt; i++) {
		if (!strcmp(node->thread[i], thread->comm))
			return;
	}
	if (node->thread_cnt < NODE_THREADS_MAX)
		memcpy(node->thread[node->thread_cnt++], thread->comm, sizeof(thread->comm));
	else
		node->has_more_threads = true;
}

static void network_add_channel(struct network *network, struct network_edge *edge,
				const struct flow *flow)
{
	const struct channel_summary *channel = flow->channel;

	if (strcmp(edge->name, flow->name))
		edge->name[0] = '\0';
	edge->channels += network_channels_of(channel);
	edge->messages += channel->messages;
	edge->bytes += channel->bytes;
	edge->calls += channel->calls;
	stat_merge(&edge->latency, &channel->latency);
	network_add_thread(&network->node[edge->from], &channel->sender);
	network_add_thread(&network->node[edge->to], &channel->receiver);
	network->node[edge->from].messages += channel->messages;
	if (edge->to != edge->from)
		network->node[edge->to].messages += channel->messages;
}

/* An edge is left out as a whole or not at all. */
static void network_add_flow(struct draft *draft, struct network *network, const struct flow *flow)
{
	uint32_t nodes = network->node_cnt;
	uint32_t from = network_node_of(draft, network, flow->from);
	uint32_t to = network_node_of(draft, network, flow->to);
	struct network_edge *edge = from && to ? edge_of(network, from - 1, to - 1, flow) : NULL;

	if (edge) {
		network_add_channel(network, edge, flow);
		return;
	}
	network->channels_more += network_channels_of(flow->channel);
	network->messages_more += flow->channel->messages;
	for (uint32_t i = 0; i < draft->process_cnt; i++) {
		if (draft->process[i].node > nodes)
			draft->process[i].node = 0;
	}
	network->node_cnt = nodes;
}

static void network_count_others(const struct summary *summary, struct network *network)
{
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (network_has_ends(channel))
			continue;
		network->channels_more += network_channels_of(channel);
		network->messages_more += channel->messages;
	}
}

/* Those with equally many keep their order, which is that of their first channels. */
static void sort_edges(struct network *network)
{
	for (uint32_t i = 1; i < network->edge_cnt; i++) {
		struct network_edge moved = network->edge[i];
		uint32_t to = i;

		for (; to && network->edge[to - 1].messages < moved.messages; to--)
			network->edge[to] = network->edge[to - 1];
		network->edge[to] = moved;
	}
}

int network_of(const struct summary *summary, struct network *network)
{
	struct draft draft = {
		.summary = summary,
		.process = calloc(2 * (size_t)summary->channel_cnt + 1, sizeof(*draft.process)),
		.flow = calloc((size_t)summary->channel_cnt + 1, sizeof(*draft.flow)),
	};
	int err = draft.process && draft.flow ? 0 : -ENOMEM;

	*network = (struct network){0};
	if (!err) {
		make_flows(&draft);
		find_alike(&draft);
		for (uint32_t i = 0; i < draft.flow_cnt; i++)
			network_add_flow(&draft, network, &draft.flow[i]);
		network_count_others(summary, network);
		sort_edges(network);
	}
	free(draft.process);
	free(draft.flow);
	return err;
}

void network_clean(struct network *network)
{
	for (uint32_t i = 0; i < network->edge_cnt; i++)
		stat_free(&network->edge[i].latency);
	network->edge_cnt = 0;
}

/* How much an edge says that its sender is the client: first calls, then names, then messages. */
struct evidence {
	uint64_t calls;
	uint32_t names;
	uint64_t messages;
};

static struct evidence evidence_of(const struct network *network, uint32_t a, uint32_t b)
{
	struct evidence found = {0};

	for (uint32_t i = 0; i < network->edge_cnt; i++) {
		const struct network_edge *edge = &network->edge[i];

		if (edge->from == a && edge->to == b) {
			found.calls += edge->calls;
			found.names += edge->is_asked;
			found.messages += edge->messages;
		}
		if (edge->from == b && edge->to == a)
			found.names += edge->is_answered;
	}
	return found;
}

bool network_calls(const struct network *network, uint32_t a, uint32_t b)
{
	struct evidence ab = evidence_of(network, a, b), ba = evidence_of(network, b, a);

	if (ab.calls != ba.calls)
		return ab.calls > ba.calls;
	if (ab.names != ba.names)
		return ab.names > ba.names;
	if (ab.messages != ba.messages)
		return ab.messages > ba.messages;
	return a < b;
}
