/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and what they send, from the channels of an attach. */
#include "support/build.h"
#include "support/sample.h"

#include "model/channel_group.h"
#include "report/figure/graph/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct network network;

static void make(const struct summary *summary)
{
	network_clean(&network);
	assert_int_equal(network_of(summary, &network), 0);
}

/* Instead of the channels of the sample. */
static struct channel_summary *with_channels(struct summary *summary, uint32_t cnt)
{
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		stat_free(&summary->channel[i].latency);
	free(summary->channel);
	summary->channel = calloc(cnt, sizeof(*summary->channel));
	assert_non_null(summary->channel);
	summary->channel_cnt = cnt;
	return summary->channel;
}

static void fill(struct channel_summary *channel, uint32_t from, uint32_t to, uint64_t messages)
{
	channel->id = from * 1000 + to;
	channel->transport = TRANSPORT_UDS_STREAM;
	channel->sender.pid = from;
	channel->receiver.pid = to;
	snprintf(channel->sender.comm, RECORD_COMM_LEN, "p%u", from);
	snprintf(channel->receiver.comm, RECORD_COMM_LEN, "p%u", to);
	snprintf(channel->name, CHANNEL_NAME_LEN, "/run/x.sock");
	channel->messages = messages;
	stat_add(&channel->latency, 1000 * messages);
}

TEST(processes_are_nodes_and_directions_are_edges)
{
	struct summary *summary = sample_attach();

	make(summary);
	assert_int_equal(network.node_cnt, 2);
	assert_int_equal(network.edge_cnt, 2);
	assert_int_equal(network.edge[0].messages, SAMPLE_ROUNDS);
	assert_int_equal(network.edge[0].from, network.edge[1].to);
	assert_int_equal(network.node[0].messages, 2 * SAMPLE_ROUNDS);
	assert_int_equal(stat_percentile(&network.edge[0].latency, 99),
			 stat_percentile(&summary->channel[0].latency, 99));
	assert_int_equal(network.channels_more, 3);
	assert_int_equal(network.messages_more, 30);
}

TEST(the_requests_say_which_process_is_the_client)
{
	struct summary *summary = sample_attach();
	uint32_t client;

	summary->channel[1].messages *= 2; /* though the server sends more */
	make(summary);
	client = strcmp(network.node[0].end.comm, "psql") ? 1 : 0;
	assert_true(network_calls(&network, client, !client));
	assert_false(network_calls(&network, !client, client));
}

/* Without calls, the name says it, and then the number of messages. */
TEST(without_calls_the_name_says_which_process_serves)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 2);

	fill(&channel[0], 5, 6, 100);
	fill(&channel[1], 6, 5, 10);
	make(summary);
	assert_true(network_calls(&network, 0, 1));
	channel[1].named = ADDRESS_OF_RECEIVER;
	make(summary);
	assert_true(network_calls(&network, 1, 0));
}

TEST(connections_of_one_service_are_one_edge)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 3);

	for (uint32_t i = 0; i < 3; i++) {
		fill(&channel[i], 5, 6, 10 + i);
		channel[i].named = ADDRESS_OF_RECEIVER;
		snprintf(channel[i].name, CHANNEL_NAME_LEN, "127.0.0.1:%u > 127.0.0.1:80",
			 5000 + i);
	}
	make(summary);
	assert_int_equal(network.edge_cnt, 1);
	assert_int_equal(network.edge[0].channels, 3);
	assert_int_equal(network.edge[0].messages, 33);
	assert_string_equal(network.edge[0].name, "* > 127.0.0.1:80");
	assert_int_equal(network.edge[0].latency.count, 3);
}

TEST(anonymous_channels_of_two_processes_are_one_edge)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 2);

	fill(&channel[0], 5, 6, 10);
	fill(&channel[1], 5, 6, 20);
	snprintf(channel[1].name, CHANNEL_NAME_LEN, "pipe:[1]");
	make(summary);
	assert_int_equal(network.edge_cnt, 1);
	assert_string_equal(network.edge[0].name, "");
	assert_int_equal(network.edge[0].channels, 2);
}

static void add_clients(struct summary *summary, uint32_t cnt)
{
	struct channel_summary *channel = with_channels(summary, cnt);

	for (uint32_t i = 0; i < cnt; i++) {
		fill(&channel[i], 100 + i, 5, 3);
		strcpy(channel[i].sender.comm, "curl");
	}
}

TEST(many_processes_that_are_alike_are_one_node)
{
	struct summary *summary = sample_attach();

	add_clients(summary, PROCESSES_ALIKE_MIN - 1);
	make(summary);
	assert_int_equal(network.node_cnt, PROCESSES_ALIKE_MIN);
	add_clients(summary, 900);
	make(summary);
	assert_int_equal(network.node_cnt, 2);
	assert_int_equal(network.edge_cnt, 1);
	assert_int_equal(network.node[0].processes, 900);
	assert_int_equal(network.node[0].end.pid, 0);
	assert_int_equal(network.edge[0].channels, 900);
	assert_int_equal(network.edge[0].messages, 2700);
	assert_int_equal(network.channels_more, 0);
}

/* Another neighbour, another name or another script: then it is not the same. */
TEST(processes_with_other_neighbours_are_not_alike)
{
	struct summary *summary = sample_attach();

	add_clients(summary, PROCESSES_ALIKE_MIN);
	summary->channel[1].receiver.pid = 6;
	make(summary);
	assert_int_equal(network.node_cnt, PROCESSES_ALIKE_MIN + 2);
	summary->channel[1].receiver.pid = 5;
	strcpy(summary->channel[2].sender.comm, "wget");
	make(summary);
	assert_int_equal(network.node_cnt, PROCESSES_ALIKE_MIN + 1);
}

/* Whatever its threads are called, and however many of its channels were put together. */
TEST(a_process_is_one_node)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 4);

	for (uint32_t i = 0; i < 4; i++) {
		fill(&channel[i], 100, 5, 10);
		channel[i].sender.tid = 101 + i;
		snprintf(channel[i].sender.comm, RECORD_COMM_LEN, "thread-%u", i);
		strcpy(channel[i].sender_process, "java");
		channel[i].named = ADDRESS_OF_RECEIVER;
	}
	channel_group_begin(&channel[3]);
	channel[3].folded = 7;
	make(summary);
	assert_int_equal(network.node_cnt, 2);
	assert_string_equal(network.node[0].end.comm, "java");
	assert_int_equal(network.node[0].end.pid, 100);
	assert_int_equal(network.node[0].thread_cnt, 4);
	assert_string_equal(network.node[0].thread[3], "thread-3");
	assert_int_equal(network.edge_cnt, 1);
	assert_int_equal(network.edge[0].channels, 10);
}

/* The channels of its threads come first, as they have more messages. */
TEST(a_node_has_the_name_of_the_process)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 2);

	for (uint32_t i = 0; i < 2; i++) {
		fill(&channel[i], 100, 5, 20 - i);
		channel[i].sender.tid = 101 - i;
		strcpy(channel[i].sender.comm, i ? "java" : "pool-1");
	}
	make(summary);
	assert_string_equal(network.node[0].end.comm, "java");
	assert_int_equal(network.node[0].thread_cnt, 1);
	assert_string_equal(network.node[0].thread[0], "pool-1");
}

/* Some channels of the clients of a group may be listed apart from it. */
TEST(clients_of_a_group_have_no_second_node)
{
	struct summary *summary = sample_attach();

	add_clients(summary, 3);
	summary->channel[2].sender.pid = 0;
	summary->channel[2].folded = 50;
	make(summary);
	assert_int_equal(network.node_cnt, 2);
	assert_int_equal(network.node[0].end.pid, 0);
	assert_int_equal(network.node[0].processes, 1); /* how many is not known */
	assert_int_equal(network.edge[0].channels, 52);
}

/* As many as a summary lists, of one name, and none like another: this takes no time. */
TEST(a_thousand_pairs_are_compared_fast)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 1024);

	for (uint32_t i = 0; i < 1024; i++) {
		fill(&channel[i], 5000 + i, 9000 + i, 5);
		strcpy(channel[i].sender.comm, "client");
		strcpy(channel[i].receiver.comm, "server");
	}
	make(summary);
	assert_int_equal(network.node_cnt, NETWORK_NODES_MAX);
	assert_int_equal(network.channels_more, 1024 - NETWORK_NODES_MAX / 2);
}

TEST(what_has_no_room_is_counted)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 60);
	uint64_t drawn = 0;

	for (uint32_t i = 0; i < 60; i++)
		fill(&channel[i], 100 + i, 5, 100 - i);
	make(summary);
	assert_int_equal(network.node_cnt, NETWORK_NODES_MAX);
	assert_int_equal(network.edge_cnt, NETWORK_NODES_MAX - 1);
	for (uint32_t i = 0; i < network.edge_cnt; i++)
		drawn += network.edge[i].messages;
	assert_int_equal(network.channels_more, 60 - network.edge_cnt);
	assert_int_equal(drawn + network.messages_more, 60 * 100 - 59 * 60 / 2);
}

TEST(edges_have_a_limit_of_their_own)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 90);

	for (uint32_t i = 0; i < 90; i++)
		fill(&channel[i], 100 + i % 10, 200 + i / 10, 5);
	make(summary);
	assert_int_equal(network.edge_cnt, NETWORK_EDGES_MAX);
	assert_int_equal(network.channels_more, 90 - NETWORK_EDGES_MAX);
}

/* Processes without an edge are no nodes. */
TEST(what_has_no_edge_is_no_node)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 41);

	for (uint32_t i = 0; i < 40; i++)
		fill(&channel[i], 100 + i % 5, 200 + i / 5, 5);
	fill(&channel[40], 300, 301, 1);
	make(summary);
	assert_int_equal(network.edge_cnt, 40);
	assert_int_equal(network.node_cnt, 13);
}

TEST(a_process_may_send_to_itself)
{
	struct summary *summary = sample_attach();
	struct channel_summary *channel = with_channels(summary, 1);

	fill(&channel[0], 5, 5, 10);
	make(summary);
	assert_int_equal(network.node_cnt, 1);
	assert_int_equal(network.node[0].messages, 10);
}

static int teardown(void **state)
{
	network_clean(&network);
	return 0;
}

ALL_TESTS(NULL, teardown)
