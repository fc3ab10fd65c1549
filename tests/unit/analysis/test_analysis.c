/* SPDX-License-Identifier: BSD-2-Clause */
/* Records beside the messages: departures, the end, ticks and watermarks. */
#include "analysis/run_fixture.h"

#include "model/record_decode.h"

TEST(a_client_that_left_is_reported)
{
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left), .tid = 102},
		.client = 2,
		.reason = LEFT_SIGNAL,
		.round = 1,
		.detail = 9};

	put_roles();
	put_round(0);
	put_tick(&tape, 1, base_of(1, 1), 1);
	put_message(1, 1);
	tape_add(&tape, &left);
	play();
	assert_integrity(3, 3);
	assert_int_equal(heard.summary->rounds.complete, 1);
	assert_false(heard.summary->client[0].left);
	assert_true(heard.summary->client[1].left);
	assert_int_equal(heard.summary->client[1].left_reason, LEFT_SIGNAL);
	assert_int_equal(heard.summary->client[1].left_detail, 9);
	assert_int_equal(heard.summary->client[1].left_round, 1);
	assert_false(heard.summary->server_left);
}

TEST(a_server_that_left_is_reported_and_a_stranger_is_not_the_server)
{
	struct record_left left = {.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
				   .client = 3,
				   .reason = LEFT_EXIT};

	put_roles();
	tape_add(&tape, &left);
	play();
	assert_false(heard.summary->server_left);
	hearing_free(&heard);
	left.client = 0;
	tape_add(&tape, &left);
	play();
	assert_true(heard.summary->server_left);
	assert_int_equal(heard.summary->server_left_reason, LEFT_EXIT);
}

TEST(a_stop_of_the_run_is_no_leaving_of_server_or_client)
{
	struct record_left left = {.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
				   .client = LEFT_ALL,
				   .reason = LEFT_SIGNAL,
				   .round = 1,
				   .detail = 15};

	put_roles();
	tape_add(&tape, &left);
	play();
	assert_false(heard.summary->server_left);
	assert_false(heard.summary->client[0].left || heard.summary->client[1].left);
	assert_true(heard.summary->all_left && heard.summary->all_left_early);
	assert_int_equal(heard.summary->all_left_reason, LEFT_SIGNAL);
	assert_int_equal(heard.summary->all_left_detail, 15);
}

TEST(the_end_record_brings_losses_and_cost)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)},
				 .loss = {[LOSS_RING_FULL] = 7, [LOSS_STAMPS] = 3},
				 .bpf_ns = 1000,
				 .bpf_messages = 4};

	put_roles();
	play();
	assert_true(heard.summary->integrity.truncated);
	assert_false(heard.summary->observer.measured);
	hearing_free(&heard);
	tape_add(&tape, &end);
	play();
	assert_false(heard.summary->integrity.truncated);
	assert_int_equal(heard.summary->integrity.loss[LOSS_RING_FULL], 7);
	assert_int_equal(heard.summary->integrity.loss[LOSS_STAMPS], 3);
	assert_true(heard.summary->observer.bpf_ns_per_message == 250);
}

TEST(lateness_and_skipped_ticks_are_summed)
{
	struct record_tick tick = make_tick(0, 1500, 0);

	tick.due_ns = 1000;
	tick.skipped = 3;
	tape_add(&tape, &tick);
	tick.round = 1;
	tick.stamp_ns = 2100;
	tick.due_ns = 2000;
	tape_add(&tape, &tick);
	play();
	assert_int_equal(heard.summary->tick.lateness.count, 2);
	assert_int_equal(heard.summary->tick.lateness.sum, 600);
	assert_int_equal(heard.summary->tick.skipped, 6);
}

static int count_message(void *ctx, const struct message *message)
{
	return ++*(int *)ctx == 2 ? -EPIPE : 0;
}

TEST(messages_come_at_watermarks_and_what_the_callback_says_is_returned)
{
	int messages = 0;
	const struct analysis_request request = {.on_message = count_message, .ctx = &messages};
	struct analysis *a = analysis__new(&info, &request);
	size_t i;

	put_roles();
	put_round(0);
	put_watermark(&tape, base_of(0, 1) + 1000);
	put_watermark(&tape, base_of(0, 1) + 1001);
	put_watermark(&tape, base_of(1, 1));
	for (i = 0; i < tape.cnt - 2; i++)
		assert_int_equal(analysis__record(a, tape.record[i]), 0);
	assert_int_equal(messages, 0);
	assert_int_equal(analysis__record(a, tape.record[i++]), 0);
	assert_int_equal(messages, 1);
	assert_int_equal(analysis__record(a, tape.record[i]), -EPIPE);
	assert_int_equal(messages, 2);
	analysis__free(a);
}

/* As long as the type demands, and empty. */
static void put_empty(struct analysis *a, unsigned int type)
{
	struct {
		struct record head;
		uint64_t word[31];
	} record = {.head = {.type = type, .words = 32}};

	assert_true(record_check(&record.head, sizeof(record)) > 0);
	assert_int_equal(analysis__record(a, &record.head), 0);
}

TEST(no_type_of_record_is_passed_over)
{
	for (enum mode mode = MODE_RUN; mode < NR_MODES; mode++) {
		const struct run_info asked = {.mode = mode, .traced = true};

		for (unsigned int type = 1; type < NR_RECORD_TYPES; type++) {
			struct analysis *a;

			if (!strcmp(record_name(type), "unknown"))
				continue;
			a = analysis__new(&asked, NULL);
			put_empty(a, type);
			if (analysis__left_out(a, type))
				fail_msg("mode %d: %s", mode, record_name(type));
			analysis__free(a);
		}
	}
}
