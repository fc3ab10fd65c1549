/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording with --slower-than holds is read back as it was written, or not at all. */
#include "support/attached_chains.h"
#include "support/attached_rounds.h"
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include "model/slow_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENTS 300 /* more than one record holds */

static int put_on_tape(void *ctx, const struct record *record)
{
	tape_add(ctx, record);
	return 0;
}

/* Adds all records. How many of them were messages. */
static size_t take_all(struct slow_messages *slow, const struct tape *tape, struct message *message)
{
	size_t cnt = 0;

	for (size_t i = 0; i < tape->cnt; i++) {
		int found = slow_messages__record(slow, (const void *)tape->record[i], message);

		assert_true(found >= 0);
		cnt += found;
	}
	return cnt;
}

static struct slow_messages *slow_messages_of(const struct run_info *info)
{
	struct slow_messages *slow = slow_messages__new(info);

	assert_non_null(slow);
	return slow;
}

/* In every format that shows summaries. */
static void assert_comes_back(struct summary *summary)
{
	static const char *const formats[] = {"text", "json"};
	struct tape tape = {0};
	struct slow_messages *slow;
	struct message none;

	summary->info.keeps_slower_ns = 1000000;
	summary->slower_cnt = 7;
	slow = slow_messages_of(&summary->info);
	assert_int_equal(slow_messages_write_summary(summary, put_on_tape, &tape), 0);
	assert_null(slow_messages__summary(slow));
	assert_int_equal(take_all(slow, &tape, &none), 0);
	assert_non_null(slow_messages__summary(slow));
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *before = sample_show_one(formats[i], summary);
		char *after = sample_show_one(formats[i], slow_messages__summary(slow));

		assert_string_equal(after, before);
		free(before);
		free(after);
	}
	slow_messages__free(slow);
	tape_free(&tape);
	sample_free(summary);
}

static void rounds_with_a_period_come_back(void **state)
{
	struct summary summary;

	attached_rounds(&summary);
	assert_comes_back(&summary);
}

static void chains_come_back(void **state)
{
	struct summary summary;

	attached_chains(&summary);
	assert_comes_back(&summary);
}

/* The words at the end that older versions do not have. */
#define WORDS_SINCE_5 4                    /* LEFT_ALL */
#define WORDS_SINCE_6 (3 * BLAMED_CNT + 1) /* the process of each culprit, no blame of services */
#define WORDS_SINCE_8 4                    /* the reader */
#define BLAMED_CNT    3

/* Reads the summary as if its last `missing` words had not been written. */
static struct summary read_older(struct summary *summary, size_t missing)
{
	struct summary back = {.info = summary->info};
	struct serializer words = {.lacks_room = true};

	assert_int_equal(summary->blame_cnt, BLAMED_CNT);
	serialize_summary(&words, summary);
	words.cnt -= missing;
	words.reads = true;
	serialize_summary(&words, &back);
	assert_int_equal(words.error, 0);
	assert_int_equal(words.at, words.cnt);
	assert_int_equal(back.integrity.sent, summary->integrity.sent);
	serializer_free(&words);
	return back;
}

static void a_summary_of_before_is_read_as_well(void **state)
{
	static const size_t missing[] = {WORDS_SINCE_8 + WORDS_SINCE_6 + WORDS_SINCE_5,
					 WORDS_SINCE_8 + WORDS_SINCE_6, WORDS_SINCE_8, 0};
	struct summary summary, back;

	sample_summary(&summary, 2);
	summary.all_left = true;
	summary.blame[2].pid = 11;
	strcpy(summary.blame[2].process, "java");
	summary.blame[1].total.class = BLAME_TASK;
	strcpy(summary.blame[1].total.comm, "ipctrace");
	summary.observer.has_reader = true;
	summary.observer.hurried_ns = 7000;
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		back = read_older(&summary, missing[i]);
		assert_int_equal(back.all_left, missing[i] <= WORDS_SINCE_8 + WORDS_SINCE_6);
		assert_int_equal(back.blame[2].pid, missing[i] <= WORDS_SINCE_8 ? 11 : 0);
		assert_string_equal(back.blame[2].process,
				    missing[i] <= WORDS_SINCE_8 ? "java" : "");
		/* A thread of that name was ipctrace itself; later, one of another ipctrace. */
		assert_int_equal(back.blame[1].total.class,
				 missing[i] ? BLAME_IPCTRACE : BLAME_TASK);
		assert_int_equal(back.observer.has_reader, !missing[i]);
		assert_int_equal(back.observer.hurried_ns, missing[i] ? 0 : 7000);
		summary_clean(&back);
	}
	sample_free(&summary);
}

static void more_than_32_bits_of_a_value_come_back(void **state)
{
	struct summary summary;

	sample_paced(&summary, "request", 2);
	stat_add_zeros(&summary.calls.round_trip, 5000000000);
	assert_comes_back(&summary);
}

static void waits_for_room_and_services_come_back(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	sample_room(&summary);
	sample_services(&summary);
	sample_times(&summary);
	sample_found(&summary);
	summary.found.now = (struct end_summary){.pid = 4712, .comm = "postgres"};
	assert_comes_back(&summary);
}

static void names_come_back(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	sample_services(&summary);
	sample_names(&summary);
	assert_comes_back(&summary);
}

static void the_statistics_of_every_kind_of_run_come_back(void **state)
{
	struct summary summary;

	sample_summary(&summary, 5);
	assert_comes_back(&summary);
	sample_summary(&summary, 2);
	summary.info.workload.messages = summary.rounds.count + 1;
	summary.all_left = summary.all_left_early = true;
	summary.all_left_reason = LEFT_SIGNAL;
	summary.all_left_detail = 15;
	assert_comes_back(&summary);
	sample_summary(&summary, 1);
	summary.server_left = true;
	summary.server_left_reason = LEFT_SIGNAL;
	summary.server_left_detail = 9;
	summary.client[0].left = true;
	summary.client[0].left_reason = LEFT_EXIT;
	summary.client[0].left_round = 12;
	assert_comes_back(&summary);
	sample_paced(&summary, "request", 3);
	assert_comes_back(&summary);
	sample_paced(&summary, "flood", 2);
	assert_comes_back(&summary);
	sample_attach(&summary);
	assert_comes_back(&summary);
}

static void assert_same(const struct message *a, const struct message *b)
{
	struct message left = *a, right = *b;

	assert_int_equal(left.segment_cnt, right.segment_cnt);
	assert_memory_equal(left.segment, right.segment, left.segment_cnt * sizeof(*left.segment));
	assert_int_equal(left.blame_cnt, right.blame_cnt);
	for (uint32_t i = 0; i < left.blame_cnt; i++) {
		assert_int_equal(left.blame[i].class, right.blame[i].class);
		assert_int_equal(left.blame[i].kind, right.blame[i].kind);
		assert_int_equal(left.blame[i].ns, right.blame[i].ns);
		assert_string_equal(left.blame[i].comm, right.blame[i].comm);
	}
	assert_int_equal(left.latency_ns, right.latency_ns);
	assert_memory_equal(left.component_ns, right.component_ns, sizeof(left.component_ns));
	assert_int_equal(left.stamp_ns, right.stamp_ns);
	assert_int_equal(left.send_ns, right.send_ns);
	assert_int_equal(left.queued_ns, right.queued_ns);
	assert_int_equal(left.recv_ns, right.recv_ns);
	assert_int_equal(left.user_ns, right.user_ns);
	assert_int_equal(left.due_ns, right.due_ns);
	assert_int_equal(left.position, right.position);
	assert_int_equal(left.path, right.path);
	assert_int_equal(left.match, right.match);
	assert_int_equal(left.shows_switch, right.shows_switch);
	assert_int_equal(left.unseen_wakeup, right.unseen_wakeup);
	assert_string_equal(left.sender.comm, right.sender.comm);
	assert_int_equal(left.receiver.tid, right.receiver.tid);
	assert_int_equal(left.receiver.cpu, right.receiver.cpu);
}

/* Many of them, so that several records are one message. */
static void fill_segments(struct message *message, struct segment *segment)
{
	for (uint64_t i = 0; i < SEGMENTS; i++)
		segment[i] = (struct segment){.from_ns = message->stamp_ns + i,
					      .to_ns = message->stamp_ns + i + 1,
					      .component = i % NR_COMPONENTS,
					      .cpu = SEGMENT_CPU_UNKNOWN - i};
	message->segment = segment;
	message->segment_cnt = SEGMENTS;
}

static void messages_come_back_one_after_the_other(void **state)
{
	static struct segment segment[SEGMENTS];
	struct run_info info = sample_info(2);
	struct slow_messages *slow = slow_messages_of(&info);
	struct message message, back;
	struct tape tape = {0};

	for (uint32_t round = 0; round < 5; round++) {
		message = sample_message(1 + round % 2, round);
		message.match = MATCH_RESYNCED;
		message.unseen_wakeup = true;
		message.due_ns = message.stamp_ns - 100;
		if (round % 2)
			fill_segments(&message, segment);
		assert_int_equal(slow_messages_write_message(&message, put_on_tape, &tape), 0);
		assert_int_equal(tape.cnt > 1, round % 2);
		assert_int_equal(take_all(slow, &tape, &back), 1);
		assert_same(&message, &back);
		tape_free(&tape);
		tape = (struct tape){0};
	}
	assert_null(slow_messages__summary(slow));
	slow_messages__free(slow);
}

/* Random words in a file: what cannot be read is left out. */
static void words_that_were_damaged_do_no_harm(void **state)
{
	struct run_info info = sample_info(3);
	struct summary summary;
	struct tape tape = {0};
	uint64_t seed = 7;

	sample_attach(&summary);
	assert_int_equal(slow_messages_write_summary(&summary, put_on_tape, &tape), 0);
	for (int i = 0; i < 2000; i++) {
		struct record *record = tape.record[random_below(&seed, tape.cnt)];
		uint64_t *word =
			(uint64_t *)record + RECORD_WORDS(struct record_slow) +
			random_below(&seed, record->words - RECORD_WORDS(struct record_slow));
		struct slow_messages *slow = slow_messages_of(&info);
		struct message message;
		uint64_t before = *word;

		*word ^= 1ULL << random_below(&seed, 64);
		take_all(slow, &tape, &message);
		if (slow_messages__summary(slow))
			free(sample_show_one("json", slow_messages__summary(slow)));
		slow_messages__free(slow);
		*word = before;
	}
	tape_free(&tape);
	sample_free(&summary);
}

static void a_part_alone_is_nothing(void **state)
{
	struct run_info info = sample_info(3);
	struct slow_messages *slow = slow_messages_of(&info);
	struct summary summary;
	struct message message;
	struct tape tape = {0};

	sample_summary(&summary, 5);
	assert_int_equal(slow_messages_write_summary(&summary, put_on_tape, &tape), 0);
	assert_true(tape.cnt > 2);
	tape.cnt--;
	assert_int_equal(take_all(slow, &tape, &message), 0);
	assert_null(slow_messages__summary(slow));
	tape.cnt++;
	slow_messages__free(slow);
	slow = slow_messages_of(&info);
	assert_int_equal(
		slow_messages__record(slow, (const void *)tape.record[tape.cnt - 1], &message), 0);
	assert_null(slow_messages__summary(slow));
	slow_messages__free(slow);
	tape_free(&tape);
	sample_free(&summary);
}

static int refuse(void *ctx, const struct record *record)
{
	return -EIO;
}

static void what_cannot_be_written_is_an_error(void **state)
{
	struct message message = sample_message(1, 1);
	struct summary summary;

	sample_summary(&summary, 1);
	assert_int_equal(slow_messages_write_message(&message, refuse, NULL), -EIO);
	assert_int_equal(slow_messages_write_summary(&summary, refuse, NULL), -EIO);
	sample_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_with_a_period_come_back),
		cmocka_unit_test(chains_come_back),
		cmocka_unit_test(more_than_32_bits_of_a_value_come_back),
		cmocka_unit_test(the_statistics_of_every_kind_of_run_come_back),
		cmocka_unit_test(waits_for_room_and_services_come_back),
		cmocka_unit_test(names_come_back),
		cmocka_unit_test(a_summary_of_before_is_read_as_well),
		cmocka_unit_test(messages_come_back_one_after_the_other),
		cmocka_unit_test(words_that_were_damaged_do_no_harm),
		cmocka_unit_test(a_part_alone_is_nothing),
		cmocka_unit_test(what_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
