/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: the channels of an attach, and the clients of its rounds. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(channels_are_shown_with_their_ends)
{
	struct summary *summary = sample_attach();
	char *text = shown(summary);

	assert_has(text, "uds-stream /run/x.sock: psql (pid 812) > postgres (pid 700)");
	assert_has(text, "uds-stream /run/x.sock: postgres (pid 700) > psql (pid 812)");
	assert_has(text, "3 other channels");
	assert_numbers_are_numbers(text);
	summary->channel[0].sender.pid = TID_OUTSIDE | 812;
	assert_shows(summary, "uds-stream /run/x.sock: psql (outside) > postgres (pid 700)");
}

/* "nio-exec-1 (pid 700)" would be no process: 700 is called java. */
TEST(a_process_has_its_own_name)
{
	struct summary *summary = sample_attach();

	strcpy(summary->channel[0].receiver.comm, "nio-exec-1");
	summary->channel[0].receiver.tid = 712;
	strcpy(summary->channel[0].receiver_process, "java");
	assert_has(shown(summary), "uds-stream /run/x.sock: psql (pid 812) > java (pid 700)");
}

/* The clients of a round have numbers in the table, and names below it. */
TEST(listeners_of_an_attach_have_names)
{
	struct summary *summary = sample_summary(3);

	summary->info.mode = MODE_ATTACH;
	snprintf(summary->client[1].comm, sizeof(summary->client[1].comm), "jack_metro");
	summary->client[1].tid = 4711;
	summary->client[2].tid = 0;
	snprintf(summary->client[2].comm, sizeof(summary->client[2].comm), "others");
	assert_shows(summary, "2 jack_metro (tid 4711), 3 others");
}

/* A bar with a letter for each part. A process without a name is '?'. */
TEST(channels_have_bars_of_their_parts)
{
	struct summary *summary = sample_attach();
	char *text;
	struct component_sum *sum = &summary->channel[0].components;

	memset(sum->ns, 0, sizeof(sum->ns));
	sum->ns[COMPONENT_SEND_PATH] = 100;
	sum->ns[COMPONENT_RUNQUEUE] = 250;
	sum->ns[COMPONENT_BUSY] = 50;
	sum->ns[COMPONENT_RECEIVE] = 100;
	memset(summary->channel[1].components.ns, 0, sizeof(sum->ns));
	summary->channel[1].transport = 0;
	summary->channel[1].name[0] = summary->channel[1].sender.comm[0] = '\0';
	text = shown(summary);
	assert_has(text, " ssssqqqqqqqqqbbrrr ");
	assert_has(text, "q run queue");
	assert_has(text, "? ?: ? (pid 700) > psql (pid 812)");
	assert_null(strstr(text, "(null)"));
	assert_shows(summary, "bars sender: s send path o room; receiver: w wakeup q run queue");
	summary->info.level = LEVEL_LIGHT;
	assert_shows(summary, "bars receiver: w wakeup q run queue");
}

TEST(without_channels_there_is_no_table_of_them)
{
	struct summary *summary = sample_summary(2);

	assert_shows_not(summary, "channels");
}

/* `cnt` clients of one service, with two channels each. */
static void add_clients(struct summary *summary, uint32_t cnt)
{
	struct channel_summary *channel = calloc(2 * cnt, sizeof(*channel));

	assert_non_null(channel);
	for (uint32_t i = 0; i < 2 * cnt; i++) {
		bool to = i % 2;

		channel[i] = (struct channel_summary){
			.id = i,
			.transport = TRANSPORT_TCP,
			.named = to ? ADDRESS_OF_RECEIVER : ADDRESS_OF_SENDER,
			.sender = {.pid = to ? 1000 + i : 5, .comm = "x"},
			.receiver = {.pid = to ? 5 : 1000 + i, .comm = "x"},
			.messages = 3,
		};
		snprintf(channel[i].name, CHANNEL_NAME_LEN,
			 to ? "1.1.1.1:%u > 1.1.1.1:%u" : "1.1.1.1:%2$u > 1.1.1.1:%1$u", 5000 + i,
			 80);
		strcpy(to ? channel[i].sender.comm : channel[i].receiver.comm, "logger");
		strcpy(to ? channel[i].receiver.comm : channel[i].sender.comm, "logd");
		for (int k = 0; k < 3; k++)
			stat_add(&channel[i].latency, 1000 + i);
		channel[i].components.count = 3;
		channel[i].components.ns[COMPONENT_RECEIVE] = 3 * (1000 + i);
	}
	free(summary->channel);
	summary->channel = channel;
	summary->channel_cnt = 2 * cnt;
}

TEST(short_lived_clients_are_one_row)
{
	struct summary *summary = sample_attach();
	char *text;

	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		stat_free(&summary->channel[i].latency);
	add_clients(summary, 100);
	text = shown(summary);
	assert_has(text, "tcp * > 1.1.1.1:80: 100 x logger > logd (pid 5) 300 0 1.1");
	assert_has(text, "tcp 1.1.1.1:80 > *: logd (pid 5) > 100 x logger 300 0 1.1");
	assert_null(strstr(text, "1.1.1.1:50"));
	assert_null(strstr(text, "more, see"));
}

TEST(a_few_clients_have_a_row_each)
{
	struct summary *summary = sample_attach();
	char *text;

	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		stat_free(&summary->channel[i].latency);
	add_clients(summary, 3);
	text = shown(summary);
	assert_has(text, "tcp 1.1.1.1:5001 > 1.1.1.1:80: logger (pid 1001) > logd (pid 5)");
	assert_null(strstr(text, " x logger"));
}

/* The analysis had no room for all: its entry and the others of that service are one row. */
TEST(what_was_folded_before_is_in_the_same_row)
{
	struct summary *summary = sample_attach();

	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		stat_free(&summary->channel[i].latency);
	add_clients(summary, 2);
	summary->channel[1].folded = 70;
	summary->channel[1].sender.pid = summary->channel[1].sender.tid = 0;
	strcpy(summary->channel[1].name, "* > 1.1.1.1:80");
	assert_has(shown(summary), "tcp * > 1.1.1.1:80: 71 x logger > logd (pid 5) 6 0 1.0");
}

TEST(a_server_has_its_script)
{
	struct summary *summary = sample_attach();

	sample_names(summary);
	assert_shows(summary,
		     "uds-stream /run/x.sock: psql (pid 812) > postgres worker.py (pid 700)");
}
