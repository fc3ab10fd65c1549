/* SPDX-License-Identifier: BSD-2-Clause */
/* Which messages of a run are matched, and the reason for each that is incomplete. */
#include "analysis/run_fixture.h"

TEST(a_message_with_all_its_records_is_matched)
{
	const struct message *message;

	put_roles();
	put_round(0);
	play();
	assert_integrity(2, 2);
	message = &heard.message[1];
	assert_components(message, whole);
	assert_blame(message, BLAME_TASK, TASK, 150);
	assert_int_equal(message->client, 2);
	assert_int_equal(message->round, 0);
	assert_int_equal(message->channel, 2);
	assert_int_equal(message->position, 0);
	assert_int_equal(message->bytes, 64);
	assert_int_equal(message->path, PATH_SLEPT);
	assert_int_equal(message->queued_ns, base_of(0, 2) + 200);
	assert_int_equal(message->latency_ns, 1100);
	assert_string_equal(message->sender.comm, "server");
	assert_string_equal(message->receiver.comm, "client-2");
	assert_int_equal(message->receiver.tid, tid_of(2));
}

TEST(the_summary_has_every_matched_message)
{
	const struct summary *summary;

	put_roles();
	put_round(0);
	put_round(1);
	summary = play();
	assert_integrity(4, 4);
	assert_int_equal(summary->path[PATH_SLEPT], 4);
	assert_int_equal(summary->latency.count, 4);
	assert_int_equal(summary->latency.sum, 4400);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(summary->component[i].sum, 4 * whole[i]);
	assert_int_equal(summary->client_cnt, 2);
	assert_int_equal(summary->client[1].client, 2);
	assert_int_equal(summary->client[1].tid, tid_of(2));
	assert_string_equal(summary->client[1].comm, "client-2");
	assert_int_equal(summary->client[1].latency.count, 2);
	assert_int_equal(sum_of(summary->client[1].components.ns, NR_COMPONENTS), 2200);
	assert_int_equal(summary->blame_cnt, 1);
	assert_int_equal(summary->blame[0].total.ns, 600);
	assert_int_equal(summary->blame[0].messages, 4);
	assert_true(summary->duration_s > 0.000109 && summary->duration_s < 0.000111);
	assert_int_equal(summary->rounds.complete, 2);
}

static void play_with_loss(unsigned int which)
{
	put_roles();
	put_round(0);
	put_tick(&tape, 1, base_of(1, 1), 2);
	put_whole_slice(1, 1);
	if (!(which & LOSE_SEND))
		put_whole_send(1, 1);
	if (!(which & LOSE_RECEIVE))
		put_whole_receive(1, 1);
	if (!(which & LOSE_STAMP))
		put_whole_stamp(1, 1);
	put_message(1, 2);
	put_round(2);
	play();
	assert_integrity(6, 5);
	assert_int_equal(heard.summary->rounds.count, 3);
	assert_int_equal(heard.summary->rounds.complete, 2);
}

TEST(a_message_without_its_send_is_no_send)
{
	play_with_loss(LOSE_SEND);
	assert_incomplete(INCOMPLETE_NO_SEND, 1);
}

TEST(a_message_without_its_receive_is_not_received)
{
	play_with_loss(LOSE_RECEIVE);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

TEST(a_message_without_its_stamp_is_no_stamp)
{
	play_with_loss(LOSE_STAMP);
	assert_incomplete(INCOMPLETE_NO_STAMP, 1);
}

TEST(a_message_without_any_record_is_not_recorded)
{
	play_with_loss(LOSE_SEND | LOSE_RECEIVE);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 1);
	hearing_free(&heard);
	tape_free(&tape);
	play_with_loss(LOSE_SEND | LOSE_RECEIVE | LOSE_STAMP);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 1);
}

/* The server's own log was full: round 1 has no TICK, but its messages have all their records. */
TEST(sent_counts_messages_without_a_tick)
{
	put_roles();
	put_round(0);
	put_message(1, 1);
	put_message(1, 2);
	play();
	assert_int_equal(heard.summary->rounds.complete, 1);
	assert_integrity(4, 4);
}

TEST(a_stamp_of_another_round_is_a_mismatch)
{
	struct record_stamp stamp = make_stamp(1, 7, base_of(0, 1), base_of(0, 1) + 1100);

	stamp.index = 0;
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 2);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	tape_add(&tape, &stamp);
	put_message(0, 2);
	play();
	assert_integrity(2, 1);
	assert_incomplete(INCOMPLETE_STAMP, 1);
}

TEST(warm_up_is_in_no_figure)
{
	const struct summary *summary;

	info.workload.warmup = 2;
	put_roles();
	for (uint64_t round = 0; round < 3; round++)
		put_round(round);
	summary = play();
	assert_integrity(2, 2);
	assert_int_equal(heard.message[0].round, 0);
	assert_int_equal(heard.message[0].stamp_ns, base_of(2, 1));
	assert_int_equal(summary->latency.count, 2);
	assert_int_equal(summary->component[COMPONENT_SWITCH].count, 2);
	assert_int_equal(sum_of(summary->path, NR_PATHS), 2);
	assert_int_equal(summary->rounds.count, 1);
	assert_int_equal(summary->tick.lateness.count, 1);
	assert_int_equal(summary->client[0].latency.count, 1);
	assert_int_equal(summary->client[0].position_cnt, 1);
	assert_int_equal(summary->blame[0].total.ns, 300);
	assert_true(summary->duration_s < 0.000011);
}

TEST(what_is_incomplete_in_the_warm_up_is_not_counted)
{
	info.workload.warmup = 3;
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 2);
	put_whole_send(0, 1);
	put_whole_receive(0, 2);
	put_tick(&tape, 1, base_of(1, 1), 2);
	put_whole_send(1, 1);
	put_whole_receive(1, 1); /* no stamp */
	put_whole_stamp(2, 2);
	put_round(3);
	play();
	assert_integrity(2, 2);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

/* Open and close messages, from clients to the server's other thread; also half ones. */
TEST(control_messages_are_ignored)
{
	put_roles();
	put_send(&tape, tid_of(1), 50, 0, 1000, 1100);
	put_receive(&tape, 99, 50, 0, 900, 1200, 0, CHANGES(SLEEP(950, 1), WAKE(1150, 1)));
	put_send(&tape, tid_of(2), 51, 0, 1000, 1100);
	put_receive(&tape, 99, 52, 0, 900, 1200, 2, NO_CHANGES);
	put_receive(&tape, SERVER, 53, 0, 900, 1200, 0, NO_CHANGES);
	put_send(&tape, tid_of(1), 54, 0, 1000, 1100); /* and one between two clients */
	put_receive(&tape, tid_of(2), 54, 0, 900, 1200, 0, NO_CHANGES);
	put_round(0);
	play();
	assert_integrity(2, 2);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

/*
 * The receiver ran on another CPU, received the message and was back before its sender said
 * `queued`: it was there at the latest when the call returned.
 */
static void check_seen_before_queued(bool receive_first)
{
	const struct message *message;
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	if (!receive_first)
		put_send(&tape, SERVER, 1, 0, base + 100, base + 900);
	put_receive(&tape, tid_of(1), 1, 0, base + 200, base + 800, 0, NO_CHANGES);
	if (receive_first)
		put_send(&tape, SERVER, 1, 0, base + 100, base + 900);
	put_stamp(&tape, 1, 0, base, base + 1000);
	play();
	assert_integrity(1, 1);
	message = &heard.message[0];
	assert_int_equal(message->queued_ns, base + 800);
	assert_int_equal(message->path, PATH_RUNNING);
	assert_components(message, (uint64_t[NR_COMPONENTS]){[COMPONENT_DISPATCH] = 100,
							     [COMPONENT_SEND_PATH] = 700,
							     [COMPONENT_RETURN] = 200});
}

TEST(a_receive_may_be_seen_before_queued)
{
	check_seen_before_queued(false);
	teardown(state);
	check_seen_before_queued(true);
}

TEST(a_receive_before_the_send_is_out_of_order)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_send(&tape, SERVER, 1, 0, base + 900, base + 950);
	put_receive(&tape, tid_of(1), 1, 0, base + 200, base + 800, 0, NO_CHANGES);
	put_stamp(&tape, 1, 0, base, base + 1000);
	play();
	assert_integrity(1, 0);
	assert_incomplete(INCOMPLETE_ORDER, 1);
}

TEST(a_stamp_that_comes_after_the_watermark_is_still_good)
{
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_watermark(&tape, base_of(5, 1));
	put_watermark(&tape, base_of(6, 1));
	put_whole_stamp(0, 1);
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 150);
}

/* ---- Without tracing there are only the workload's own records. ---- */

TEST(an_untraced_run_has_latencies_and_rounds)
{
	info.traced = false;
	put_roles();
	for (uint64_t round = 0; round < 3; round++) {
		put_whole_stamp(round, 1);
		put_whole_stamp(round, 2);
		put_tick(&tape, round, base_of(round, 1), 2);
	}
	play();
	assert_int_equal(heard.cnt, 0);
	assert_int_equal(heard.summary->integrity.sent, 6);
	assert_int_equal(heard.summary->integrity.matched, 6);
	assert_int_equal(heard.summary->latency.sum, 6600);
	assert_int_equal(heard.summary->client[1].latency.count, 3);
	assert_int_equal(heard.summary->rounds.complete, 3);
	assert_int_equal(heard.summary->component[COMPONENT_DISPATCH].count, 0);
}

TEST(an_untraced_message_without_a_stamp_is_not_recorded)
{
	info.traced = false;
	info.workload.warmup = 1;
	put_roles();
	for (uint64_t round = 0; round < 3; round++) {
		put_whole_stamp(round, 1);
		put_tick(&tape, round, base_of(round, 1), 2);
	}
	put_stamp(&tape, 2, 1, 5000, 4999);
	put_stamp(&tape, 3, 1, 5000, 6000); /* there is no client 3 */
	play();
	assert_int_equal(heard.summary->integrity.sent, 4);
	assert_int_equal(heard.summary->integrity.matched, 2);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_ORDER], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED], 1);
}

/* 40 rounds of one client; in round 30 it is late. `reverse`: the stamps come last first. */
static void play_untraced_peak(bool reverse)
{
	info.traced = false;
	info.workload.clients = 1;
	put_roles();
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t round = reverse ? 39 - i : i, base = base_of(round, 1);

		put_tick(&tape, round, base, 1);
		put_stamp(&tape, 1, round, base, base + (round == 30 ? 50000 : 1000));
	}
	play();
	assert_int_equal(heard.summary->peaks.count, 1);
	assert_int_equal(heard.summary->peaks.largest.latency_ns, 50000);
}

TEST(a_peak_is_as_late_as_its_stamp_after_the_first)
{
	play_untraced_peak(false);
	assert_int_equal(heard.summary->peaks.largest.at_ns, 3000000);
}

TEST(a_peak_is_as_late_in_whatever_order_the_stamps_come)
{
	play_untraced_peak(true);
	assert_int_equal(heard.summary->peaks.largest.at_ns, 3000000);
}

TEST(an_untraced_peak_has_no_component_to_blame)
{
	play_untraced_peak(false);
	assert_int_equal(heard.summary->peaks.largest.component_ns, 0);
	assert_int_equal(sum_of(heard.summary->peaks.cause, NR_COMPONENTS), 0);
}

/* ---- More messages are open than fit. ---- */

static void collector_send(struct analysis *a, uint32_t tid, uint32_t channel, uint64_t position)
{
	struct record_send send = make_send(tid, channel, position, 1100, 1200);

	assert_int_equal(analysis__record(a, &send.head), 0);
}

static struct analysis *full_analysis(void)
{
	struct analysis *a = analysis__new(&info, NULL);

	assert_non_null(a);
	put_roles();
	for (size_t i = 0; i < tape.cnt; i++)
		assert_int_equal(analysis__record(a, tape.record[i]), 0);
	for (uint64_t i = 0; i < JOIN_PENDING_MAX; i++)
		collector_send(a, SERVER, 1, i);
	return a;
}

/* A send is refused; one message is settled, so that the refused one's receive finds room. */
TEST(a_refused_message_is_counted_once)
{
	struct record_tick tick = make_tick(0, 1000, JOIN_PENDING_MAX + 1);
	struct record_receive first = make_receive(tid_of(1), 1, 0, 1150, 1300);
	struct record_receive refused = make_receive(tid_of(1), 1, JOIN_PENDING_MAX, 1350, 1400);
	struct record_stamp stamp = make_stamp(1, 0, 1000, 1400);
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = 2000};
	struct analysis *a = full_analysis();
	const struct integrity *integrity = &analysis__summary(a)->integrity;

	collector_send(a, SERVER, 1, JOIN_PENDING_MAX);
	assert_int_equal(analysis__record(a, &tick.head), 0);
	assert_int_equal(analysis__record(a, &first.head), 0);
	assert_int_equal(analysis__record(a, &stamp.head), 0);
	assert_int_equal(analysis__record(a, &watermark.head), 0);
	assert_int_equal(analysis__record(a, &refused.head), 0);
	assert_int_equal(analysis__finish(a), 0);
	assert_int_equal(integrity->matched, 1);
	assert_int_equal(integrity->incomplete[INCOMPLETE_OVERFLOW], 1);
	assert_int_equal(accounted(integrity), integrity->sent);
	analysis__free(a);
}

/* So many preemptions in one receive call are more segments than a message can have. */
TEST(too_many_segments_take_no_other_messages_reason)
{
	enum { PREEMPTIONS = BREAKDOWN_SEGMENTS_MAX / 3 / 10 * 10 + 10 };
	static uint64_t change[3 * PREEMPTIONS];
	uint64_t base = base_of(0, 1), end = base + 300 + ARRAY_SIZE(change);

	put_roles();
	put_tick(&tape, 0, base, 2);
	put_whole_send(0, 1);
	put_stamp(&tape, 1, 0, base, end + 100);
	for (uint64_t i = 0; i < ARRAY_SIZE(change); i += 3) {
		change[i] = PREEMPT(base + 300 + i, 0);
		change[i + 1] = SWITCH(base + 301 + i, 0);
		change[i + 2] = RUN(base + 302 + i, 0);
	}
	for (uint64_t i = 0; i < ARRAY_SIZE(change); i += 30)
		put_changes(&tape, tid_of(1), base + 400 + i, i, change + i, 30);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, end, ARRAY_SIZE(change), NO_CHANGES);
	put_whole_receive(0, 2); /* and of this one the send is lost */
	put_whole_stamp(0, 2);
	play();
	assert_integrity(2, 0);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_OVERFLOW], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NO_SEND], 1);
}

TEST(refused_control_and_warm_up_messages_are_not_counted)
{
	struct analysis *a;

	info.workload.warmup = 10;
	a = full_analysis();
	collector_send(a, tid_of(1), 60, 20);
	collector_send(a, SERVER, 2, 5);
	assert_int_equal(analysis__finish(a), 0);
	assert_int_equal(analysis__summary(a)->integrity.incomplete[INCOMPLETE_OVERFLOW], 0);
	analysis__free(a);
}
