/* SPDX-License-Identifier: BSD-2-Clause */
/* Which messages and calls the report shows. */
#include "support/build.h"
#include "support/capture.h"

#include "command/message_filter.h"

#include <errno.h>
#include <unistd.h>

static const struct run_info run_info = {.mode = MODE_RUN, .begin = {.unix_ns = 1, .ns = 1000}};

static struct message message_of(uint32_t channel, uint64_t latency_ns)
{
	return (struct message){.channel = channel,
				.latency_ns = latency_ns,
				.send_ns = 5000,
				.has_round = true,
				.round = 7,
				.client = 2,
				.sender = {.tid = 10, .comm = "server"},
				.receiver = {.tid = 11, .comm = "reader"}};
}

static struct message_filter *filter_of(const struct select_options *options)
{
	struct message_filter *filter = message_filter__new(options, &run_info);

	assert_non_null(filter);
	return filter;
}

static bool passes(const struct select_options *options, struct message message)
{
	struct message_filter *filter = filter_of(options);
	bool passed = message_filter__passes_message(filter, &message);

	message_filter__free(filter);
	return passed;
}

TEST(filters_need_no_ranks)
{
	struct select_options options = {.client = "2"};

	assert_true(passes(&options, message_of(1, 100)));
	options.client = "3-4";
	assert_false(passes(&options, message_of(1, 100)));
	options = (struct select_options){.selection = {.channel = {5}, .channel_cnt = 1}};
	assert_true(passes(&options, message_of(5, 100)));
	assert_false(passes(&options, message_of(6, 100)));
	options = (struct select_options){.selection = {.round = {true, 7, 7}}};
	assert_true(passes(&options, message_of(5, 100)));
	options.selection.round = (struct select_range){true, 8, 9};
	assert_false(passes(&options, message_of(5, 100)));
	options = (struct select_options){.selection = {.peer = {.glob = "read*"}}};
	assert_true(passes(&options, message_of(5, 100)));
	options.selection.peer = (struct select_process){.glob = "x*"};
	assert_false(passes(&options, message_of(5, 100)));
}

/* Instants count from the start of tracing. */
TEST(between_counts_from_the_begin)
{
	struct select_options options = {.selection = {.between_ns = {true, 4000, 4100}}};

	assert_true(passes(&options, message_of(1, 100)));
	options.selection.between_ns = (struct select_range){true, 4101, 5000};
	assert_false(passes(&options, message_of(1, 100)));
	options.selection.between_ns = (struct select_range){true, 0, 3999};
	assert_false(passes(&options, message_of(1, 100)));
}

/* 5 ms before and after. Tracing began at 1000. */
TEST(around_an_instant_is_a_time)
{
	struct select_options options = {.around = "10ms"};
	struct message message = message_of(1, 100);

	message.send_ns = 5001000;
	assert_true(passes(&options, message));
	message.send_ns = 15001000;
	assert_true(passes(&options, message));
	message.send_ns = 15001001;
	assert_false(passes(&options, message));
	message.send_ns = 5001000 - 101;
	assert_false(passes(&options, message));
	options.selection.between_ns = (struct select_range){true, 0, 6000000};
	message.send_ns = 6001001;
	assert_false(passes(&options, message));
}

TEST(around_a_message_needs_a_search)
{
	const struct select_options options = {.around = "5/7"};
	struct message_filter *filter = filter_of(&options);
	struct message other = message_of(5, 100), message = message_of(5, 100);

	message.position = 7;
	message.send_ns = 20001000;
	assert_true(message_filter__needs_search(filter));
	assert_false(message_filter__search(filter, &other));
	assert_true(message_filter__search(filter, &message));
	assert_false(message_filter__needs_search(filter));
	assert_true(message_filter__search(filter, &other));
	assert_true(message_filter__passes_message(filter, &message));
	assert_false(message_filter__passes_message(filter, &other));
	other.send_ns = 25001100;
	assert_true(message_filter__passes_message(filter, &other));
	other.send_ns = 25001101;
	assert_false(message_filter__passes_message(filter, &other));
	message_filter__free(filter);
}

TEST(one_message_is_shown_alone)
{
	struct select_options options = {
		.selection = {.has_message = true, .message_channel = 5, .message_position = 7}};
	struct message message = message_of(5, 100);
	char text[SELECT_TEXT_LEN];

	assert_false(passes(&options, message));
	message.position = 7;
	assert_true(passes(&options, message));
	message.channel = 6;
	assert_false(passes(&options, message));
	select_text(&options, text);
	assert_string_equal(text, "message 5/7");
	options = (struct select_options){.around = "3s", .client = "2"};
	select_text(&options, text);
	assert_string_equal(text, "around 3s, client 2");
}

TEST(slowest_of_what_passes_are_shown)
{
	const struct select_options options = {
		.selection = {.slowest_cnt = 2, .channel = {5}, .channel_cnt = 1}};
	struct message_filter *filter = filter_of(&options);
	uint32_t shown = 0;

	assert_true(message_filter__needs_ranks(filter));
	for (uint64_t i = 1; i <= 100; i++) {
		struct message message = message_of(5, i), other = message_of(6, 1000 + i);

		assert_int_equal(message_filter__rank_message(filter, &message), 0);
		assert_int_equal(message_filter__rank_message(filter, &other), 0);
	}
	for (uint64_t i = 1; i <= 100; i++) {
		struct message message = message_of(5, i), other = message_of(6, 1000 + i);

		assert_int_equal(message_filter__passes_message(filter, &message), i > 98);
		assert_false(message_filter__passes_message(filter, &other));
		shown += i > 98;
	}
	assert_int_equal(shown, 2);
	message_filter__free(filter);
}

/* So that a slow call is not lost among slow messages. */
TEST(calls_are_ranked_apart)
{
	const struct select_options options = {.selection = {.slowest_percent = 10}};
	struct message_filter *filter = filter_of(&options);
	struct call call = {.channel = 5, .sent_ns = 1000, .client = {.tid = 3, .comm = "psql"}};
	struct message message = message_of(5, 100000);

	assert_int_equal(message_filter__rank_message(filter, &message), 0);
	for (uint64_t i = 1; i <= 10; i++) {
		call.back_ns = 1000 + i;
		assert_int_equal(message_filter__rank_call(filter, &call), 0);
	}
	assert_true(message_filter__passes_call(filter, &call));
	call.back_ns = 1009;
	assert_false(message_filter__passes_call(filter, &call));
	assert_true(message_filter__passes_message(filter, &message));
	message_filter__free(filter);
}

TEST(wrong_clients_are_refused)
{
	const struct select_options options = {.client = "psql"};
	struct message_filter *filter;
	struct capture err;

	capture_begin(&err, STDERR_FILENO);
	filter = message_filter__new(&options, &run_info);
	capture_end(&err);
	assert_null(filter);
	assert_int_equal(errno, EINVAL);
	assert_one_line_with(err.text, "--client: 'psql'");
}

TEST(selections_are_put_into_words)
{
	char text[SELECT_TEXT_LEN];
	struct select_options options = {.selection = {.slowest_cnt = 5, .round = {true, 3, 4}}};

	select_text(&options, text);
	assert_string_equal(text, "slowest 5, round 3-4");
	options.selection.slowest_cnt = 0;
	select_text(&options, text);
	assert_string_equal(text, "round 3-4");
	options.client = "2";
	select_text(&options, text);
	assert_string_equal(text, "round 3-4, client 2");
	options.selection.round.is_set = false;
	select_text(&options, text);
	assert_string_equal(text, "client 2");
	options.client = NULL;
	select_text(&options, text);
	assert_string_equal(text, "");
}
