/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of channels: its edges have the numbers of the summary, and labels do not overlap. */
#include "support/build.h"
#include "support/pictured.h"
#include "support/sample.h"
#include "support/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct explanation nothing;
static const struct picture empty;

static char *drawn(const struct summary *summary, double width)
{
	const struct illustration illustration = {
		.summary = summary, .explanation = &nothing, .picture = &empty};

	return pictured_figure(&figure_graph, &illustration, width);
}

TEST(edges_have_the_numbers_of_channels)
{
	static const double widths[] = {FIGURE_WIDE, FIGURE_NARROW};
	struct summary *summary = sample_attach();

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(summary, widths[w]);
		const struct stat *latency = &summary->channel[0].latency;

		assert_true(svg_sum(svg, "data-messages") == 2 * SAMPLE_ROUNDS);
		assert_true(svg_sum(svg, "data-calls") == SAMPLE_ROUNDS);
		assert_true(svg_count(svg, "data-from-pid", "812") == 1);
		assert_true(svg_count(svg, "data-to-pid", "812") == 1);
		assert_true(svg_count(svg, "data-transport", "uds-stream") == 2);
		assert_true(svg_count(svg, "data-channel", "/run/x.sock") == 2);
		assert_true(svg_count(svg, "data-p99-ns", "%llu",
				      (unsigned long long)stat_percentile(latency, 99)));
		assert_non_null(strstr(svg, "3 more channels with 30 messages are not drawn."));
	}
}

/* Many processes that send to many: `cnt` channels. */
static struct summary *many_channels(uint32_t cnt, uint32_t receivers)
{
	struct channel_summary *channel = calloc(cnt, sizeof(*channel));
	struct summary *summary = sample_attach();

	assert_non_null(channel);
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		stat_free(&summary->channel[i].latency);
	free(summary->channel);
	summary->channel = channel;
	summary->channel_cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++) {
		channel[i].transport = TRANSPORT_PIPE;
		channel[i].sender.pid = 100 + i % 12;
		channel[i].receiver.pid = 200 + i % receivers;
		snprintf(channel[i].sender.comm, RECORD_COMM_LEN, "a-long-name-%u", i % 12 % 100);
		snprintf(channel[i].receiver.comm, RECORD_COMM_LEN, "receiver-%u",
			 i % receivers % 100);
		snprintf(channel[i].name, CHANNEL_NAME_LEN, "pipe:[%u]", i);
		channel[i].messages = 1000 - i;
		for (uint32_t k = 0; k < 10; k++)
			stat_add(&channel[i].latency, 1000 * (1 + i) * (1 + k));
	}
	return summary;
}

struct box {
	double left;
	double right;
	double y;
};

static double attribute_of(const char *tag, const char *name)
{
	const char *end = strchr(tag, '>'), *at = strstr(tag, name);

	return at && at < end ? strtod(at + strlen(name), NULL) : 0;
}

/* The boxes behind labels do not cover one another. */
static void assert_labels_apart(const char *svg)
{
	struct box box[256];
	size_t cnt = 0;

	for (const char *at = svg; (at = strstr(at, "<rect class=\"paper\"")); at++) {
		struct box next = {attribute_of(at, " x=\""), 0, attribute_of(at, " y=\"")};

		next.right = next.left + attribute_of(at, " width=\"");
		for (size_t i = 0; i < cnt; i++)
			assert_true(next.right < box[i].left || box[i].right < next.left ||
				    next.y >= box[i].y + 12.5 || box[i].y >= next.y + 12.5);
		assert_true(cnt < ARRAY_SIZE(box));
		box[cnt++] = next;
	}
	assert_true(cnt > 1);
}

TEST(labels_of_many_edges_stand_apart)
{
	struct summary *summary;

	for (uint32_t receivers = 1; receivers < 12; receivers += 5) {
		char *svg;

		summary = many_channels(60, receivers);
		svg = drawn(summary, FIGURE_WIDE);
		assert_labels_apart(svg);
		svg = drawn(summary, FIGURE_NARROW);
		assert_null(strstr(svg, "class=\"node\""));
	}
}

TEST(what_is_slow_has_a_strong_colour)
{
	struct summary *summary = many_channels(12, 1);
	char *svg = drawn(summary, FIGURE_WIDE);

	assert_true(svg_count(svg, "data-key", "e0") == 1);
	assert_true(svg_count(svg, "data-key", "e3") == 1);
	assert_non_null(strstr(svg, "flow e3"));
}

TEST(a_process_that_sends_to_itself_has_a_loop)
{
	struct summary *summary = sample_attach();
	char *svg;

	summary->channel[0].receiver = summary->channel[0].sender;
	svg = drawn(summary, FIGURE_WIDE);
	assert_true(svg_count(svg, "class", "node") == 2);
}

/* Their names are cut, their numbers are not. */
TEST(processes_of_one_long_name_have_whole_numbers)
{
	static const double widths[] = {FIGURE_WIDE, FIGURE_NARROW};
	struct script_summary script[] = {{4194301, "a-program-of-a-long-name.py"},
					  {4194302, "a-program-of-a-long-name.py"}};
	struct summary *summary = many_channels(1, 1);

	summary->channel[0].sender.pid = script[0].pid;
	summary->channel[0].receiver.pid = script[1].pid;
	strcpy(summary->channel[0].sender.comm, "python3");
	strcpy(summary->channel[0].receiver.comm, "python3");
	free(summary->script);
	summary->script = script;
	summary->script_cnt = ARRAY_SIZE(script);
	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(summary, widths[w]);

		assert_non_null(strstr(svg, "... (pid 4194301) → "));
		assert_non_null(strstr(svg, "... (pid 4194302)</text>"));
	}
	summary->script = NULL;
	summary->script_cnt = 0;
}

/* The tables say as much about a run, and about two or three processes. */
TEST(few_processes_have_no_graph)
{
	struct illustration illustration = {
		.summary = sample_summary(3), .explanation = &nothing, .picture = &empty};

	assert_false(figure_graph.applies(&illustration));
	illustration.summary = many_channels(2, 1);
	assert_false(figure_graph.applies(&illustration));
	illustration.summary = many_channels(3, 1);
	assert_true(figure_graph.applies(&illustration));
}
