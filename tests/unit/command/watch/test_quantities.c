/* SPDX-License-Identifier: BSD-2-Clause */
/* What conditions can compare of messages, calls and rounds. */
#include "support/build.h"
#include "support/sample.h"

#include "command/watch/quantities.h"

#include <string.h>

#define OCCASIONS_MAX 16

struct heard {
	struct occasion occasion[OCCASIONS_MAX];
	char note[OCCASIONS_MAX][16];
	size_t cnt;
};

static int hear_one(void *ctx, const struct occasion *occasion)
{
	struct heard *heard = ctx;

	assert_true(heard->cnt < OCCASIONS_MAX);
	if (occasion->note)
		strcpy(heard->note[heard->cnt], occasion->note);
	heard->occasion[heard->cnt++] = *occasion;
	return 0;
}

static bool knows(const struct occasion *occasion, enum quantity quantity)
{
	return occasion->quantities.known & 1u << quantity;
}

static void assert_ns(const struct occasion *occasion, enum quantity quantity, uint64_t ns)
{
	assert_true(knows(occasion, quantity));
	assert_int_equal(occasion->quantities.ns[quantity], ns);
}

static struct quantity_finder *finder_of(const struct run_info *info, struct heard *heard)
{
	struct quantity_finder *finder = quantity_finder__new(info, hear_one, heard);

	assert_non_null(finder);
	return finder;
}

/* The message of a client, from its stamp on. */
static struct message message_of(uint32_t client, uint64_t round, uint64_t stamp_ns,
				 uint64_t latency_ns)
{
	struct message message = sample_message(client, round);

	message.stamp_ns = stamp_ns;
	message.latency_ns = latency_ns;
	message.user_ns = stamp_ns + latency_ns;
	return message;
}

TEST(a_message_has_its_latency_and_components)
{
	struct run_info info = sample_info(2);
	struct heard heard = {0};
	struct quantity_finder *finder = finder_of(&info, &heard);
	struct message message = message_of(1, 3, 1000, 500);

	message.shows_switch = false;
	message.component_ns[COMPONENT_RUNQUEUE] = 77;
	assert_int_equal(quantity_finder__message(finder, &message), 0);
	assert_int_equal(heard.cnt, 1);
	assert_ns(&heard.occasion[0], QUANTITY_LATENCY, 500);
	assert_ns(&heard.occasion[0], (enum quantity)COMPONENT_RUNQUEUE, 77);
	assert_false(knows(&heard.occasion[0], (enum quantity)COMPONENT_SWITCH));
	assert_false(knows(&heard.occasion[0], QUANTITY_LATE));
	assert_false(knows(&heard.occasion[0], QUANTITY_ROUND_TRIP));
	assert_int_equal(heard.occasion[0].from_ns, 1000);
	assert_int_equal(heard.occasion[0].at_ns, 1500);
	quantity_finder__free(finder);
}

/* A tick of another round says nothing of this one. */
TEST(a_late_tick_makes_its_messages_late)
{
	struct run_info info = sample_info(2);
	struct heard heard = {0};
	struct quantity_finder *finder = finder_of(&info, &heard);
	struct record_tick tick = make_tick(info.workload.warmup + 3, 1000, 2);
	struct message message = message_of(1, 3, 1000, 500);

	tick.due_ns = 940;
	quantity_finder__record(finder, &tick.head);
	assert_int_equal(quantity_finder__message(finder, &message), 0);
	assert_ns(&heard.occasion[0], QUANTITY_LATE, 60);
	message.round = 4;
	assert_int_equal(quantity_finder__message(finder, &message), 0);
	assert_false(knows(&heard.occasion[1], QUANTITY_LATE));
	message.due_ns = 990;
	assert_int_equal(quantity_finder__message(finder, &message), 0);
	assert_ns(&heard.occasion[2], QUANTITY_LATE, 10);
	quantity_finder__free(finder);
}

/* An answer to another request is none to this one. */
TEST(a_request_and_its_answer_are_a_call)
{
	struct run_info info = sample_info(2);
	struct heard heard = {0};
	struct quantity_finder *finder;
	struct message request = message_of(1, 5, 1000, 30), answer = message_of(1, 5, 1100, 50),
		       other = message_of(2, 5, 1100, 50);

	strcpy(info.workload.pattern, "request");
	finder = finder_of(&info, &heard);
	request.to_server = true;
	request.channel = 3;
	request.position = 9;
	assert_int_equal(quantity_finder__message(finder, &request), 0);
	assert_int_equal(quantity_finder__message(finder, &other), 0);
	assert_int_equal(heard.cnt, 2);
	assert_int_equal(quantity_finder__message(finder, &answer), 0);
	assert_int_equal(heard.cnt, 4);
	assert_true(heard.occasion[3].is_call);
	assert_int_equal(heard.occasion[3].channel, 3);
	assert_int_equal(heard.occasion[3].position, 9);
	assert_ns(&heard.occasion[3], QUANTITY_REQUEST, 30);
	assert_ns(&heard.occasion[3], QUANTITY_SERVICE, 70);
	assert_ns(&heard.occasion[3], QUANTITY_RESPONSE, 50);
	assert_ns(&heard.occasion[3], QUANTITY_ROUND_TRIP, 150);
	assert_false(knows(&heard.occasion[3], QUANTITY_LATENCY));
	assert_int_equal(quantity_finder__message(finder, &answer), 0);
	assert_int_equal(heard.cnt, 5);
	quantity_finder__free(finder);
}

TEST(a_call_of_an_attach_has_parts_if_it_is_certain)
{
	struct run_info info = {.mode = MODE_ATTACH, .traced = true};
	struct heard heard = {0};
	struct quantity_finder *finder = finder_of(&info, &heard);
	struct call call = {.channel = 4,
			    .position = 8,
			    .sent_ns = 100,
			    .received_ns = 110,
			    .answered_ns = 150,
			    .first_back_ns = 160,
			    .back_ns = 170};

	assert_int_equal(quantity_finder__call(finder, &call), 0);
	assert_ns(&heard.occasion[0], QUANTITY_ROUND_TRIP, 70);
	assert_ns(&heard.occasion[0], QUANTITY_REQUEST, 10);
	assert_ns(&heard.occasion[0], QUANTITY_SERVICE, 40);
	assert_ns(&heard.occasion[0], QUANTITY_RESPONSE, 20);
	call.match = CALL_SEVERAL;
	assert_int_equal(quantity_finder__call(finder, &call), 0);
	assert_int_equal(heard.cnt, 1);
	quantity_finder__free(finder);
}

static void put_in_round(struct quantity_finder *finder, uint32_t client, uint64_t round,
			 uint64_t latency_ns, const char *note)
{
	struct message message = message_of(client, round, 1000, latency_ns);

	assert_int_equal(quantity_finder__in_round(finder, &message, client == 2,
						   note ? strdup(note) : NULL),
			 0);
}

/* By latency, in whatever order they come. */
TEST(a_complete_round_has_a_first_and_a_last)
{
	struct run_info info = sample_info(3);
	struct heard heard = {0};
	struct quantity_finder *finder = finder_of(&info, &heard);

	put_in_round(finder, 2, 1, 70, "two");
	put_in_round(finder, 1, 1, 50, "one");
	assert_int_equal(heard.cnt, 0);
	put_in_round(finder, 3, 1, 100, NULL);
	assert_int_equal(heard.cnt, 3);
	assert_ns(&heard.occasion[0], QUANTITY_FIRST, 50);
	assert_string_equal(heard.note[0], "one");
	assert_false(heard.occasion[0].was_true);
	assert_false(knows(&heard.occasion[0], QUANTITY_NEXT));
	assert_ns(&heard.occasion[1], QUANTITY_NEXT, 20);
	assert_string_equal(heard.note[1], "two");
	assert_true(heard.occasion[1].was_true);
	assert_false(knows(&heard.occasion[1], QUANTITY_LAST));
	assert_ns(&heard.occasion[2], QUANTITY_NEXT, 30);
	assert_ns(&heard.occasion[2], QUANTITY_LAST, 100);
	quantity_finder__free(finder);
}

TEST(an_incomplete_round_has_no_last)
{
	struct run_info info = sample_info(3);
	struct heard heard = {0};
	struct quantity_finder *finder = finder_of(&info, &heard);

	put_in_round(finder, 1, 1, 50, "left");
	put_in_round(finder, 2, 1, 70, NULL);
	put_in_round(finder, 1, 2, 50, "open");
	assert_int_equal(heard.cnt, 2);
	assert_ns(&heard.occasion[0], QUANTITY_FIRST, 50);
	assert_false(knows(&heard.occasion[1], QUANTITY_LAST));
	assert_int_equal(quantity_finder__finish(finder), 0);
	assert_int_equal(heard.cnt, 3);
	put_in_round(finder, 1, 3, 50, "freed");
	quantity_finder__free(finder);
}
