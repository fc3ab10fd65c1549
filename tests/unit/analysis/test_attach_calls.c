/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and answers of an attach that become calls. */
#include "analysis/attach_fixture.h"

static void check_calls(void)
{
	assert_calls(2, 800, 600 + 1600, 800);
	assert_int_equal(channel(TO_TARGET)->calls, 2);
	assert_int_equal(channel(FROM_TARGET)->calls, 0);
	/* No sleep is recorded: the thread ran. */
	assert_int_equal(heard.summary->calls.state_cnt, 2);
	assert_int_equal(heard.summary->calls.state_ns[SERVICE_ON_CPU], 600 + 1600);
}

TEST(a_request_and_its_answer_are_a_call)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 2000);
	put_request(1, 3000);
	put_answer(1, 5000);
	play(check_calls);
}

static void check_pipelined(void)
{
	assert_counts(6, 0);
	/* 2 was sent before the first answer was received: each answers the oldest open request. */
	assert_calls(0, 0, 0, 0);
	assert_int_equal(heard.summary->calls.open_several.count, 3);
	assert_int_equal(heard.summary->calls.open_several.sum,
			 (3400 - 1000) + (6400 - 1100) + (6900 - 3000));
	assert_int_equal(heard.summary->calls.unasked, 0);
	assert_int_equal(heard.summary->calls.unbalanced, 0);
}

static void put_pipelined(void)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(1, 1100);
	put_answer(0, 3000);
	put_request(2, 3000); /* received after the send of the answer */
	put_answer(1, 6000);
	put_answer(2, 6500);
}

TEST(a_request_sent_while_another_is_open_is_one_of_several)
{
	put_pipelined();
	play(check_pipelined);
}

static void check_unbalanced(void)
{
	assert_counts(7, 0);
	assert_calls(0, 0, 0, 0);
	assert_int_equal(heard.summary->calls.open_several.count, 0);
	assert_int_equal(heard.summary->calls.unbalanced, 3);
	assert_int_equal(heard.summary->calls.unasked, 1);
}

/* Which of them is the rest of another one is not known. */
TEST(of_several_open_requests_one_answer_too_many_gives_no_times)
{
	put_pipelined();
	put_answer(3, 7000);
	play(check_unbalanced);
}

static void check_open(void)
{
	assert_counts(2, 0);
	assert_calls(0, 0, 0, 0);
}

TEST(a_request_that_came_after_the_answer_was_sent_stays_open)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 1200);
	play(check_open);
}

static void check_worker(void)
{
	assert_calls(1, 400, 600, 400);
	assert_int_equal(heard.summary->calls.state_cnt, 0);
}

TEST(another_thread_may_answer)
{
	put_threads();
	put_thread(TARGET + 1, TARGET_PID, false, "worker");
	put_connection();
	put_request(0, 1000);
	put_message(TARGET + 1, PEER, FROM_TARGET, 0, 2000);
	play(check_worker);
}

static void check_service_states(void)
{
	const struct calls_summary *calls = &heard.summary->calls;
	const uint64_t *state_ns = calls->state_ns;
	uint64_t blamed_ns = 0;

	assert_calls(1, 400, 1000000000, 400);
	assert_int_equal(heard.summary->calls.state_cnt, 1);
	assert_int_equal(state_ns[SERVICE_BLOCKED], 500000000);
	assert_int_equal(state_ns[SERVICE_RUNQUEUE], 1000);
	assert_int_equal(sum_of(state_ns, NR_SERVICE_STATES), 1000000000);
	for (uint32_t i = 0; i < calls->blame_cnt; i++)
		blamed_ns += calls->blame[i].total.ns;
	assert_int_equal(blamed_ns, 1000);
}

static void put_long_service(void)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 1000001400);
	put_changes(&tape, TARGET, 600001000, 0,
		    CHANGES(SLEEP(100000000, 0), WAKE(600000000, 0), SWITCH(600001000, 0),
			    RUN(600001000, 0)));
}

TEST(a_service_is_cut_by_what_its_thread_did)
{
	put_long_service();
	play(check_service_states);
}

/* The changes of the thread meanwhile are kept, although no message needs them. */
TEST(an_open_request_keeps_the_time_line)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_watermark(&tape, 50000000);
	put_changes(&tape, TARGET, 600001000, 0,
		    CHANGES(SLEEP(100000000, 0), WAKE(600000000, 0), SWITCH(600001000, 0),
			    RUN(600001000, 0)));
	put_watermark(&tape, 700000000);
	put_watermark(&tape, 900000000);
	put_answer(0, 1000001400);
	put_watermark(&tape, 2000000000);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(2, 0);
	check_service_states();
}

static void check_many(void)
{
	assert_counts(400, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
	assert_calls(200, 200 * 400, 200 * 600, 200 * 400);
	assert_int_equal(heard.summary->channel_cnt, 4);
	for (size_t i = 1; i < heard.cnt; i++)
		assert_true(heard.message[i - 1].recv_ns <= heard.message[i].recv_ns);
}

/* Two connections of one peer at the same time do not mix. */
TEST(connections_are_kept_apart)
{
	put_threads();
	put_connection();
	put_channel(21, TRANSPORT_UDS_SEQPACKET, PEER_END + 10, TARGET_END + 10);
	put_channel(22, TRANSPORT_UDS_SEQPACKET, TARGET_END + 10, PEER_END + 10);
	put_baseline(21, 0, true);
	put_baseline(22, 0, true);
	for (uint64_t i = 0; i < 100; i++) {
		put_request(i, 1000 + 4000 * i);
		put_message(PEER, TARGET, 21, i, 1200 + 4000 * i);
		put_answer(i, 2000 + 4000 * i);
		put_message(TARGET, PEER, 22, i, 2200 + 4000 * i);
	}
	play(check_many);
}

enum { WORKER = TARGET + 1 };

static void put_wakeup(uint32_t tid, uint32_t woken, uint32_t flags, uint64_t at_ns)
{
	const struct record_wakeup wakeup = {.head = {.type = RECORD_WAKEUP,
						      .words = RECORD_WORDS(wakeup),
						      .flags = flags,
						      .tid = tid},
					     .woken = woken,
					     .at_ns = at_ns};

	put(&wakeup);
}

static void check_worker_had_it(void)
{
	assert_calls(1, 400, 1600, 400);
	assert_int_equal(heard.summary->calls.followed, 1);
	assert_int_equal(heard.summary->calls.state_cnt, 1);
	assert_true(heard.summary->calls.state_ns[SERVICE_ON_CPU] >= 1000);
	assert_true(heard.summary->calls.state_ns[SERVICE_BLOCKED] <= 600);
}

/*
 * The thread that answers watches an eventfd (edge-triggered) and never reads it:
 *
 *	target   1400 request   1500 wakes        asleep       2700 woken   3000 answers
 *	worker                       1500 woken ... runs ... 2700 writes
 */
TEST(a_write_that_is_never_read_hands_over_work)
{
	put_threads();
	put_thread(WORKER, TARGET_PID, false, "worker");
	put_connection();
	put_request(0, 1000);
	put_wakeup(TARGET, WORKER, 0, 1500);
	put_changes(&tape, WORKER, 2700, 0,
		    CHANGES(SLEEP(900, 0), WAKE(1500, 0), SWITCH(1510, 0), RUN(1520, 0)));
	put_wakeup(WORKER, TARGET, WAKEUP_BY_WRITE, 2700);
	put_changes(&tape, TARGET, 2800, 0,
		    CHANGES(SLEEP(1600, 0), WAKE(2710, 0), SWITCH(2720, 0), RUN(2730, 0)));
	put_answer(0, 3000);
	play(check_worker_had_it);
}

#define BACK (CHANNEL_STREAM | 10)

static void put_stream_connection(void)
{
	struct record_address there = make_address(STREAM, "/run/x", ADDRESS_OF_RECEIVER);
	struct record_address back = make_address(BACK, "/run/x", ADDRESS_OF_SENDER);

	put_channel(STREAM, TRANSPORT_UDS_STREAM, PEER_END, TARGET_END);
	put_channel(BACK, TRANSPORT_UDS_STREAM, TARGET_END, PEER_END);
	put(&there);
	put(&back);
	put_baseline(STREAM, 0, true);
	put_baseline(BACK, 0, true);
}

static void check_early_answers(void)
{
	assert_counts(4, 0);
	assert_calls(2, 800, 1600 + 1600, 800);
	assert_int_equal(heard.summary->calls.open_several.count, 0);
	assert_int_equal(heard.summary->calls.unasked, 0);
	assert_int_equal(heard.summary->calls.state_cnt, 2);
}

/*
 *	client   1000                           3400 receives
 *	server        1400 part   3000 answers        3410 the rest
 *
 * The second time the rest comes at 7390, and the answer at 7400.
 */
TEST(a_server_may_answer_before_it_has_the_whole_request)
{
	put_threads();
	put_stream_connection();
	put_sent(PEER, STREAM, 0, 64, 1000);
	put_received(TARGET, STREAM, 0, 32, 1000);
	put_sent(TARGET, BACK, 0, 64, 3000);
	put_received(PEER, BACK, 0, 64, 3000);
	put_received(TARGET, STREAM, 32, 32, 3010);
	put_sent(PEER, STREAM, 64, 64, 5000);
	put_received(TARGET, STREAM, 64, 32, 5000);
	put_sent(TARGET, BACK, 64, 64, 7000);
	put_received(TARGET, STREAM, 96, 32, 6990);
	put_received(PEER, BACK, 64, 64, 7000);
	play(check_early_answers);
}
