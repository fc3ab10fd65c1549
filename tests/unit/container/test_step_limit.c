/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that were made up cannot make an analysis take as long as they like. */
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include "container/step_limit.h"
#include "cli/options.h"
#include "command/commands.h"
#include "recording/recording.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TARGET = 1, PEER = 2, STREAM = CHANNEL_STREAM | 7, DATAGRAMS = 9 };

/* Fewer for each record than a report has, so that a short tape uses them up. */
#define STEPS 256

/* Each of so many records with each other one needs far more steps than are allowed. */
#define MANY 10000

static struct tape tape;

static int teardown(void **state)
{
	tape_free(&tape);
	tape = (struct tape){0};
	step_limit_end();
	return 0;
}

EACH_TEST(NULL, teardown)

static struct run_info attach_info(void)
{
	struct run_info info = sample_info(0);

	info.mode = MODE_ATTACH;
	info.workload = (struct workload_spec){0};
	return info;
}

static void put_channel(uint32_t id, uint32_t transport)
{
	struct record_thread target = make_thread(TARGET, TARGET, false, 0);
	struct record_thread peer = make_thread(PEER, PEER, true, 0);
	struct record_channel channel = make_channel(id, transport, 7, 8);
	struct record_baseline start = make_baseline(id, 0, true);

	tape_add(&tape, &target);
	tape_add(&tape, &peer);
	tape_add(&tape, &channel);
	tape_add(&tape, &start);
}

/* What the analysis says of the tape, up to its first error. */
static int play(struct run_info info, bool is_bounded)
{
	struct analysis *analysis = analysis__new(&info, NULL);
	int err = 0;

	assert_non_null(analysis);
	if (is_bounded)
		step_limit_begin(STEPS);
	for (size_t i = 0; i < tape.cnt && !err; i++)
		err = analysis__record(analysis, tape.record[i]);
	if (!err)
		err = analysis__finish(analysis);
	step_limit_end();
	analysis__free(analysis);
	return err;
}

/* Every send may have overlapped every other. */
static void put_overlapping_sends(uint64_t cnt)
{
	put_channel(STREAM, TRANSPORT_PIPE);
	for (uint64_t i = 0; i < cnt; i++)
		put_send(&tape, 10 + i % 7, STREAM, 4 * i, 1000, 1000000);
	put_watermark(&tape, 2000000000);
}

TEST(sends_that_overlap_all_others_are_too_much)
{
	put_overlapping_sends(MANY);
	assert_int_equal(play(attach_info(), true), -E2BIG);
}

/* Each time, all channels are looked at. */
TEST(so_are_watermarks_without_end)
{
	for (uint32_t i = 0; i < MANY; i++)
		put_send(&tape, TARGET, CHANNEL_STREAM | (100 + i), 0, 1000000, 1000000);
	for (uint64_t i = 0; i < MANY; i++)
		put_watermark(&tape, 100 + i);
	assert_int_equal(play(attach_info(), true), -E2BIG);
}

/* They are put in order again for each send that comes. */
TEST(so_are_changes_in_any_order)
{
	uint64_t seed = 1;

	put_channel(DATAGRAMS, TRANSPORT_UDS);
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t at = 1000000000 + random_below(&seed, 1000000000);

		put_changes(&tape, TARGET, at, 2 * i, CHANGES(SLEEP(at, 0)));
		put_send(&tape, TARGET, DATAGRAMS, i, 1000, 1100);
	}
	assert_int_equal(play(attach_info(), true), -E2BIG);
}

/* They are all found in one place. */
TEST(so_are_messages_with_the_same_hash)
{
	for (uint64_t i = 0; i < MANY; i++)
		put_send(&tape, TARGET, DATAGRAMS, i << 32, 1000, 1100);
	assert_int_equal(play(sample_info(1), true), -E2BIG);
}

TEST(few_are_never_too_much)
{
	put_overlapping_sends(300);
	assert_int_equal(play(attach_info(), true), 0);
}

/* A live run goes on, whatever comes. */
TEST(nothing_is_bounded_unless_it_is_asked_for)
{
	for (uint64_t i = 0; i < MANY; i++)
		put_send(&tape, TARGET, DATAGRAMS, i << 32, 1000, 1100);
	assert_int_equal(play(sample_info(1), false), 0);
}

/* A stamp that was lost in front of one that lies far behind: nothing counts up to there. */
TEST(a_gap_is_as_long_as_it_likes)
{
	struct run_info info = sample_info(1);

	info.traced = false;
	info.workload.warmup = 0;
	info.workload.messages = UINT64_MAX;
	put_stamp(&tape, 1, UINT64_MAX / 2, 1000, 2000);
	put_end(&tape);
	assert_int_equal(play(info, true), 0);
}

static void write_tape(const char *path)
{
	struct run_info info = attach_info();
	struct recording_writer *writer = recording__create(path);

	assert_non_null(writer);
	assert_int_equal(recording__begin_run(writer, &info), 0);
	for (size_t i = 0; i < tape.cnt; i++)
		assert_int_equal(recording__write(writer, tape.record[i]), 0);
	assert_int_equal(recording__close(writer), 0);
}

TEST(a_report_says_so_in_every_format)
{
	static const char *const formats[] = {"text", "json", "ndjson"};
	char path[] = "/tmp/ipctrace-test-XXXXXX";

	assert_int_equal(close(mkstemp(path)), 0);
	put_overlapping_sends(MANY);
	put_end(&tape);
	write_tape(path);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct report_options options = {
			.output = {.format = report_format_find(formats[i])},
			.path = path,
			.steps_per_record = STEPS};
		struct capture out, err;
		int status;

		capture_begin(&out, STDOUT_FILENO);
		capture_begin(&err, STDERR_FILENO);
		status = report_run(&options);
		capture_end(&err);
		capture_end(&out);
		assert_int_equal(status, EXIT_FAILURE);
		assert_one_line_with(err.text, path);
		assert_has(err.text, "--no-limit");
		if (!strcmp(formats[i], "ndjson"))
			assert_has(out.text, "\"truncated\":true");
	}
	unlink(path);
}
