/* SPDX-License-Identifier: BSD-2-Clause */
/* A time line of limited size: it keeps the limit, and has the slowest messages whatever comes. */
#include "support/build.h"
#include "support/sample.h"

#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 2000
#define RUNS     3
#define SLOWEST  (MESSAGES - 3) /* comes when the file is full */

struct shown {
	char *bytes;
	size_t size;
	uint64_t said;     /* the size that the report said it had */
	uint64_t left_out; /* messages */
};

static void add_messages(struct report *report)
{
	for (uint64_t i = 0; i < MESSAGES; i++) {
		struct message message = sample_message(1, i + 1);
		uint64_t later_ns = i * 10000000;

		message.stamp_ns += later_ns;
		message.send_ns += later_ns;
		message.queued_ns += later_ns;
		message.recv_ns += later_ns;
		message.user_ns += later_ns;
		if (i == SLOWEST) {
			message.latency_ns *= 2;
			strcpy(message.receiver.comm, "the-slowest");
		}
		assert_int_equal(report_perfetto.message(report, &message), 0);
	}
}

static struct shown show(uint64_t max_bytes, int runs)
{
	struct summary summary = {.info = sample_info(1)};
	uint64_t share = max_bytes / (uint64_t)runs;
	struct shown shown = {0};
	FILE *out = open_memstream(&shown.bytes, &shown.size);
	struct report_style style = {.out = out,
				     .max_bytes = max_bytes,
				     .run_bytes = &share,
				     .left_out = &shown.left_out,
				     .bytes = &shown.said};
	struct report *report;

	assert_non_null(out);
	report = report_perfetto.begin(&style);
	assert_non_null(report);
	for (int i = 0; i < runs; i++) {
		assert_int_equal(report_perfetto.run(report, &summary.info), 0);
		add_messages(report);
		assert_int_equal(report_perfetto.summary(report, &summary), 0);
	}
	assert_int_equal(report_perfetto.end(report, false), 0);
	fclose(out);
	return shown;
}

static size_t count_of_slowest(const struct shown *shown)
{
	static const char name[] = "the-slowest";
	const char *at = shown->bytes, *end = shown->bytes + shown->size;
	size_t cnt = 0;

	while ((at = memmem(at, (size_t)(end - at), name, sizeof(name) - 1))) {
		at += sizeof(name) - 1;
		cnt++;
	}
	return cnt;
}

TEST(a_file_keeps_its_limit)
{
	static const uint64_t sizes[] = {12000, 20000, 50000, 100000, 500000};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct shown shown = show(sizes[i], 1);

		assert_in_range(shown.size, sizes[i] / 8, sizes[i]);
		assert_in_range(shown.said, shown.size, sizes[i]);
		assert_in_range(shown.left_out, 1, MESSAGES - 1);
		assert_true(count_of_slowest(&shown));
		free(shown.bytes);
	}
}

TEST(so_does_a_file_of_several_runs)
{
	static const uint64_t sizes[] = {30000, 100000, 1000000};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct shown shown = show(sizes[i], RUNS);

		assert_in_range(shown.size, sizes[i] / 8, sizes[i]);
		assert_true(count_of_slowest(&shown) >= RUNS);
		free(shown.bytes);
	}
}

/* The caller says so then. */
TEST(the_slowest_is_in_the_smallest_file)
{
	struct shown shown = show(1000, 1);

	assert_true(shown.size > 1000);
	assert_in_range(shown.said, shown.size, 2 * shown.size);
	assert_int_equal(shown.left_out, MESSAGES);
	assert_true(count_of_slowest(&shown));
	free(shown.bytes);
}

TEST(without_a_limit_all_are_shown)
{
	struct shown shown = show(0, 1);

	assert_int_equal(shown.left_out, 0);
	assert_true(shown.size > MESSAGES * 200);
	free(shown.bytes);
}
