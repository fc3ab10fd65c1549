/* SPDX-License-Identifier: BSD-2-Clause */
/* What is remembered of records that have left the memory of the flight recorder. */
#include "support/build.h"

#include "model/window_records.h"
#include "recording/flight/facts.h"

static struct facts *facts;
static struct tape tape; /* of all of them */

static int setup(void **state)
{
	facts = facts__new();
	return facts ? 0 : -1;
}

static int teardown(void **state)
{
	tape_free(&tape);
	facts__free(facts);
	return 0;
}

EACH_TEST(setup, teardown)

static int put(void *ctx, const struct record *record)
{
	tape_add(ctx, record);
	return 0;
}

static void take_all(void)
{
	tape_free(&tape);
	assert_int_equal(facts__each(facts, put, &tape), 0);
}

static void add(struct facts *facts, const void *record)
{
	assert_int_equal(facts__add(facts, record), 0);
}

static const struct record *only(const struct tape *tape, unsigned int type)
{
	const struct record *found = NULL;

	for (size_t i = 0; i < tape->cnt; i++) {
		if (tape->record[i]->type != type)
			continue;
		assert_null(found);
		found = tape->record[i];
	}
	assert_non_null(found);
	return found;
}

static size_t count(const struct tape *tape, unsigned int type)
{
	size_t cnt = 0;

	for (size_t i = 0; i < tape->cnt; i++)
		cnt += tape->record[i]->type == type;
	return cnt;
}

TEST(the_last_name_and_its_process_stay)
{
	struct record_name names[] = {make_name(SLICE_TASK, 7, 1, "a"),
				      make_name(SLICE_TASK, 7, 5, "b"),
				      make_name(SLICE_IRQ, 7, 1, "irq")};
	struct record_process processes[] = {make_process(7, 1, 3, "pa"),
					     make_process(7, 5, 3, "pb")};

	add(facts, &names[0]);
	add(facts, &processes[0]);
	add(facts, &names[2]);
	add(facts, &names[1]);
	add(facts, &processes[1]);
	take_all();
	assert_int_equal(tape.cnt, 3);
	assert_string_equal(((const struct record_process *)only(&tape, RECORD_PROCESS))->comm,
			    "pb");
}

TEST(equal_channels_are_one_and_others_stay_in_order)
{
	struct record_channel first = make_channel(1, TRANSPORT_UDP, 0, 11),
			      second = make_channel(1, TRANSPORT_UDP, 0, 12);
	struct record_address address = make_port_address(1, 10, 20);

	add(facts, &first);
	add(facts, &address);
	add(facts, &second);
	first.head.cpu = 3;
	add(facts, &first);
	take_all();
	assert_int_equal(tape.cnt, 3);
	assert_int_equal(tape.record[0]->type, RECORD_CHANNEL);
	assert_int_equal(tape.record[1]->type, RECORD_ADDRESS);
	assert_int_equal(((const struct record_channel *)tape.record[2])->receiver, 12);
}

TEST(the_first_baseline_that_is_known_holds)
{
	struct record_baseline unknown = make_baseline(1, BASELINE_UNKNOWN, false),
			       known = make_baseline(1, 5, false),
			       later = make_baseline(1, 6, true);
	const struct record_baseline *left;

	add(facts, &unknown);
	add(facts, &known);
	add(facts, &later);
	take_all();
	left = (const void *)only(&tape, RECORD_BASELINE);
	assert_int_equal(left->leftover, 5);
	assert_int_equal(left->head.flags, BASELINE_COUNTED);
}

TEST(the_users_of_a_channel_are_flags)
{
	struct record_channel channel = make_channel(1, TRANSPORT_PIPE, 0, 11);
	struct record_send sends[] = {make_send(7, 1, 0, 1, 1), make_send(7, 1, 1, 2, 2),
				      make_send(8, 1, 2, 3, 3)};
	struct record_receive receive = make_receive(9, 1, 0, 1, 2);

	add(facts, &channel);
	add(facts, &sends[0]);
	add(facts, &sends[1]);
	take_all();
	assert_int_equal(only(&tape, RECORD_CHANNEL)->flags, 0);
	add(facts, &sends[2]);
	receive.head.flags = RECEIVE_LATE;
	add(facts, &receive);
	take_all();
	assert_int_equal(only(&tape, RECORD_CHANNEL)->flags,
			 CHANNEL_HAD_SENDERS | CHANNEL_HAD_RECEIVE | CHANNEL_HAD_LATE);
	assert_int_equal(tape.cnt, 1);
}

static void add_changes(struct facts *facts, uint32_t tid, uint64_t base_ns, uint64_t first,
			const uint64_t *change, size_t cnt)
{
	struct tape tape = {0};

	put_changes(&tape, tid, base_ns, first, change, cnt);
	add(facts, tape.record[0]);
	tape_free(&tape);
}

static const uint64_t *changes_of(const struct tape *tape, uint64_t *first, size_t *cnt)
{
	const struct record_changes *changes = (const void *)only(tape, RECORD_CHANGES);

	*first = changes->first;
	*cnt = changes->head.words - RECORD_WORDS(*changes);
	return (const uint64_t *)(changes + 1);
}

/* Those before a gap are of no use, and older ones that come late neither. */
TEST(the_last_changes_of_a_thread_stay)
{
	const uint64_t *change;
	uint64_t first;
	size_t cnt;

	add_changes(facts, 7, 20, 0, CHANGES(SLEEP(10, 0), WAKE(20, 0)));
	add_changes(facts, 7, 40, 2, CHANGES(SWITCH(30, 0), RUN(40, 0)));
	take_all();
	change = changes_of(&tape, &first, &cnt);
	assert_int_equal(first, 0);
	assert_int_equal(cnt, 4);
	assert_int_equal(change[3], RUN(40, 0));
	add_changes(facts, 7, 60, 6, CHANGES(SLEEP(60, 0)));
	add_changes(facts, 7, 55, 4, CHANGES(PREEMPT(50, 0), SWITCH(55, 0)));
	take_all();
	change = changes_of(&tape, &first, &cnt);
	assert_int_equal(first, 6);
	assert_int_equal(cnt, 1);
	/* A new thread has the number. */
	add_changes(facts, 7, 90, 0, CHANGES(SLEEP(90, 1)));
	take_all();
	change = changes_of(&tape, &first, &cnt);
	assert_int_equal(first, 0);
	assert_int_equal(change[0], SLEEP(90, 1));
}

TEST(of_many_changes_the_last_ones_stay)
{
	const uint64_t *change;
	uint64_t first, many[32];
	size_t cnt;

	for (uint64_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = i % 2 ? WAKE(i, 0) : SLEEP(i, 0);
	for (uint64_t i = 0; i < 4; i++)
		add_changes(facts, 7, 31 + i, 32 * i, many, ARRAY_SIZE(many));
	take_all();
	change = changes_of(&tape, &first, &cnt);
	assert_true(cnt > 1 && cnt <= 32);
	assert_int_equal(first + cnt, 4 * 32);
	assert_int_equal(change[cnt - 1], many[31]);
}

/* The interrupts after the last task slice leave their numbers. */
TEST(the_last_slice_of_a_cpu_stays)
{
	struct record_slice slices[] = {make_task(0, 3, 50, 100), make_task(0, 4, 51, 200),
					make_irq(0, 5, 9, 210, 220),
					make_softirq(0, 6, 3, 230, 240)};
	struct record_slice alone = make_irq(1, 17, 9, 10, 20);
	const struct record_slice *left;

	for (size_t i = 0; i < ARRAY_SIZE(slices); i++)
		add(facts, &slices[i]);
	take_all();
	left = (const void *)only(&tape, RECORD_SLICE);
	assert_int_equal(left->kind, SLICE_TASK);
	assert_int_equal(left->head.tid, 51);
	assert_int_equal(left->end_ns, 200);
	assert_int_equal(left->seq, 6);
	facts__free(facts);
	facts = facts__new();
	add(facts, &alone);
	take_all();
	left = (const void *)only(&tape, RECORD_SLICE);
	assert_int_equal(left->kind, SLICE_UNSEEN);
	assert_int_equal(left->seq, 17);
}

TEST(what_was_not_used_for_long_is_forgotten_and_counted)
{
	struct record_send used = make_send(7, 5, 0, 1, 1);

	for (uint32_t i = 0; i < FACTS_OWNERS_MAX + 1000; i++) {
		struct record_channel channel = make_channel(i, TRANSPORT_UDS, i, i + 1);

		add(facts, &channel);
		add(facts, &used);
	}
	assert_int_equal(facts__forgotten(facts), 1000);
	take_all();
	assert_int_equal(count(&tape, RECORD_CHANNEL), FACTS_OWNERS_MAX);
	/* All but the one in use were forgotten in the order in which they came. */
	assert_int_equal(((const struct record_channel *)tape.record[0])->channel, 1001);
}

TEST(most_records_are_no_facts)
{
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)}};
	struct record_send send = make_send(7, 1, 0, 1, 1);
	struct record_receive receive = make_receive(7, 1, 0, 1, 2);

	add(facts, &watermark);
	add(facts, &send);
	add(facts, &receive);
	take_all();
	assert_int_equal(tape.cnt, 0);
}
