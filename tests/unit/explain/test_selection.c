/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters, and the words for them. */
#include "support/build.h"

#include "explain/selection.h"

#include <stdio.h>

#include <string.h>

static const struct unit unit = {
	.from_ns = 1500,
	.to_ns = 1900,
	.channel = 7,
	.position = 40,
	.has_round = true,
	.round = 12,
	.client = 3,
	.sender = {.tid = 11, .comm = "worker"},
	.receiver = {.tid = 21, .comm = "redis-server"},
	.sender_pid = 10,
	.receiver_pid = 20,
	.sender_process = "python3",
};

static bool passes(struct selection selection)
{
	return selection_passes(&selection, &unit, 1000);
}

#define PASSES(...) passes((struct selection){__VA_ARGS__})

TEST(without_filters_all_pass)
{
	assert_true(PASSES(0));
}

TEST(channels_are_alternatives)
{
	assert_true(PASSES(.channel = {5, 7}, .channel_cnt = 2));
	assert_false(PASSES(.channel = {5, 7}, .channel_cnt = 1));
}

TEST(a_unit_passes_if_it_overlaps)
{
	assert_true(PASSES(.between_ns = {true, 0, 500}));
	assert_false(PASSES(.between_ns = {true, 0, 499}));
	assert_true(PASSES(.between_ns = {true, 900, 950}));
	assert_false(PASSES(.between_ns = {true, 901, 950}));
	assert_true(PASSES(.between_ns = {true, 600, 700}));
	assert_true(PASSES(.between_ns = {true, 0, UINT64_MAX}));
}

TEST(a_unit_from_before_tracing_may_overlap)
{
	struct selection selection = {.between_ns = {true, 0, 10}};

	assert_true(selection_passes(&selection, &unit, 1600));
	assert_false(selection_passes(&selection, &unit, 1901));
	selection.between_ns = (struct select_range){true, 301, 400};
	assert_false(selection_passes(&selection, &unit, 1600));
}

TEST(rounds_and_clients_are_ranges)
{
	struct unit other = unit;
	struct selection selection = {.round = {true, 12, 12}};

	assert_true(PASSES(.round = {true, 12, 13}));
	assert_false(PASSES(.round = {true, 13, 14}));
	assert_true(PASSES(.client = {true, 3, 3}));
	assert_false(PASSES(.client = {true, 1, 2}));
	other.has_round = false;
	assert_false(selection_passes(&selection, &other, 1000));
	selection = (struct selection){.client = {true, 3, 3}};
	assert_false(selection_passes(&selection, &other, 1000));
}

/* Calls to redis-server at this address. */
static bool passes_service(const char *address, struct select_service service)
{
	const struct unit_service of = {.address = address};
	const struct selection selection = {.service = service};
	struct unit call = unit;

	call.kind = UNIT_CALL;
	call.service = &of;
	snprintf(call.receiver_process, sizeof(call.receiver_process), "redis-server");
	assert_false(selection_passes(&selection, &unit, 1000)); /* a message has none */
	return selection_passes(&selection, &call, 1000);
}

TEST(a_service_is_a_name_at_an_address)
{
	struct select_service service = {.is_set = true, .pid = 99, .address = "*:6379"};

	snprintf(service.comm, sizeof(service.comm), "redis-server");
	assert_true(passes_service("*:6379", service));
	assert_false(passes_service("*:6380", service));
	snprintf(service.comm, sizeof(service.comm), "memcached");
	assert_false(passes_service("*:6379", service));
	service.pid = 20; /* the process itself, whatever it is called now */
	assert_true(passes_service("*:6379", service));
	/* Sockets without a name are not those of one service. */
	service = (struct select_service){.is_set = true, .pid = 99, .comm = "redis-server"};
	assert_false(passes_service("", service));
}

TEST(a_service_is_given_by_name_address_or_number)
{
	static const char *const meet[] = {"redis-server", "redis*", "*:6379",
					   "redis-server on *:6379", "*on*6379"};
	static const char *const miss[] = {"redis", "*:6380", "nginx*", "20"};

	for (size_t i = 0; i < ARRAY_SIZE(meet) + ARRAY_SIZE(miss); i++) {
		bool meets = i < ARRAY_SIZE(meet);
		struct select_service service = {.is_set = true};

		snprintf(service.glob, sizeof(service.glob), "%s",
			 meets ? meet[i] : miss[i - ARRAY_SIZE(meet)]);
		assert_int_equal(passes_service("*:6379", service), meets);
	}
	assert_true(passes_service("x", (struct select_service){.is_set = true, .pid = 20}));
	assert_false(passes_service("x", (struct select_service){.is_set = true, .pid = 10}));
}

TEST(an_address_with_brackets_is_no_pattern)
{
	struct select_service service = {.is_set = true, .glob = "[::1]:80"};

	assert_true(passes_service("[::1]:80", service));
}

TEST(the_caller_is_the_sender)
{
	assert_true(PASSES(.caller = {.pid = 10}));
	assert_false(PASSES(.caller = {.pid = 20}));
	assert_true(PASSES(.caller = {.glob = "pyth*"}));
	/* The name of the thread counts only if that of the process is not known. */
	assert_false(PASSES(.caller = {.glob = "worker"}));
	assert_false(PASSES(.caller = {.glob = "redis*"}));
}

TEST(a_peer_is_at_either_end)
{
	assert_true(PASSES(.peer = {.pid = 10}));
	assert_true(PASSES(.peer = {.pid = 20}));
	assert_false(PASSES(.peer = {.pid = 11}));
	assert_true(PASSES(.peer = {.glob = "redis-*"}));
	assert_false(PASSES(.peer = {.glob = "redis"}));
}

TEST(what_is_not_known_does_not_pass)
{
	struct unit bare = {.channel = 7};
	struct selection selection = {.peer = {.glob = "*"}};

	assert_false(selection_passes(&selection, &bare, 0));
	selection = (struct selection){.peer = {.pid = 1}};
	assert_false(selection_passes(&selection, &bare, 0));
}

TEST(another_recording_has_other_channels_and_times)
{
	struct selection selection = {.channel = {1},
				      .channel_cnt = 1,
				      .between_ns = {true, 1, 2},
				      .round = {true, 1, 1},
				      .peer = {.pid = 20}};

	assert_true(selection_passes_other(&selection, &unit));
	selection.peer.pid = 9;
	assert_false(selection_passes_other(&selection, &unit));
}

TEST(a_message_is_known_by_channel_and_position)
{
	struct selection selection = {
		.has_message = true, .message_channel = 7, .message_position = 40};

	assert_true(selection_is_message(&selection, &unit));
	selection.message_position = 41;
	assert_false(selection_is_message(&selection, &unit));
	selection.message_position = 40;
	selection.has_message = false;
	assert_false(selection_is_message(&selection, &unit));
}

static const char *text_of(struct selection selection)
{
	static char text[SELECT_TEXT_LEN];

	selection_text(&selection, text);
	return text;
}

static const char *against_of(struct selection selection)
{
	static char text[SELECT_TEXT_LEN];

	selection_against_text(&selection, "old.ipctrace", text);
	return text;
}

#define TEXT(...)    text_of((struct selection){__VA_ARGS__})
#define AGAINST(...) against_of((struct selection){__VA_ARGS__})

TEST(the_words_are_those_of_the_options)
{
	assert_string_equal(TEXT(0), "slowest 1%");
	assert_string_equal(TEXT(.slowest_percent = 0.1), "slowest 0.1%");
	assert_string_equal(TEXT(.slowest_cnt = 50), "slowest 50");
	assert_string_equal(TEXT(.slower_than_ns = 1500000), "slower than 1.5ms");
	assert_string_equal(TEXT(.slower_than_ns = 2000000000), "slower than 2s");
	assert_string_equal(TEXT(.slower_than_ns = 1000000001), "slower than 1.000000001s");
	assert_string_equal(TEXT(.slower_than_ns = 20, .slowest_cnt = 3),
			    "slowest 3, slower than 20ns");
	assert_string_equal(TEXT(.has_message = true, .message_channel = 7, .message_position = 9),
			    "message 7/9");
	assert_string_equal(TEXT(.channel = {3, 4}, .channel_cnt = 2, .client = {true, 1, 1},
				 .round = {true, 5, 9}),
			    "slowest 1%, channel 3,4, round 5-9, client 1");
	assert_string_equal(TEXT(.between_ns = {true, 0, 10050000}, .peer = {.glob = "red*"}),
			    "slowest 1%, between 0s and 10.05ms, peer 'red*'");
	assert_string_equal(TEXT(.caller = {.pid = 4}), "slowest 1%, client 4");
}

TEST(the_base_has_its_words)
{
	assert_string_equal(AGAINST(.channel = {3}, .channel_cnt = 1), "middle half, channel 3");
	assert_string_equal(AGAINST(.against = AGAINST_OTHERS), "others");
	assert_string_equal(AGAINST(.against = AGAINST_FILE, .channel = {3}, .channel_cnt = 1,
				    .peer = {.pid = 2}),
			    "old.ipctrace, peer 2");
}

TEST(long_words_are_cut_off)
{
	struct selection selection = {.channel_cnt = SELECT_CHANNELS_MAX};

	for (uint32_t i = 0; i < SELECT_CHANNELS_MAX; i++)
		selection.channel[i] = 1000000 + i;
	assert_int_equal(strlen(text_of(selection)), SELECT_TEXT_LEN - 1);
}
