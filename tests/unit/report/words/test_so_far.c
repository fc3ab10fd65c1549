/* SPDX-License-Identifier: BSD-2-Clause */
/* What the line of an attach says on terminals of 20 to 200 columns. */
#include "support/build.h"

#include "report/words/so_far.h"
#include "util/plain.h"

#include <string.h>

#define SECOND 1000000000ULL

static const struct so_far usual = {
	.traced_ns = 12 * SECOND + 999999999,
	.messages = 48231,
	.calls = 2001,
	.lost = 3,
	.unit = UNIT_CALL,
	.slowest_ns = 12345678,
	.p99_ns = 1234567,
	.to = "redis-server (pid 27173)",
};

static const char *words(const struct so_far *so_far, int columns)
{
	static char line[LINE_OF_PARTS_LEN];
	struct line_parts parts = {0};

	so_far_words(so_far, &parts);
	line_parts_fit(&parts, columns, line);
	return line;
}

TEST(a_wide_terminal_shows_all)
{
	struct so_far whole = usual;

	assert_string_equal(words(&usual, 200),
			    "ipctrace: 12 s, 48231 messages, 2001 calls, 3 records lost, slowest "
			    "12.3 ms, a call to redis-server (pid 27173), p99 of calls 1.23 ms");
	whole.lost = 0;
	/* docs/joining.md shows this line: scripts/maintain/figures compares. */
	assert_string_equal(words(&whole, 200),
			    "ipctrace: 12 s, 48231 messages, 2001 calls, slowest 12.3 ms, a call "
			    "to redis-server (pid 27173), p99 of calls 1.23 ms");
}

TEST(a_narrow_one_shows_what_matters_most)
{
	struct so_far whole = usual;

	assert_string_equal(words(&usual, 120),
			    "12 s, 48231 messages, 2001 calls, 3 records lost, slowest 12.3 ms, a "
			    "call to redis-server (pid 27173)");
	assert_string_equal(words(&usual, 79), "12 s, 48231 messages, 2001 calls, 3 records lost, "
					       "slowest 12.3 ms");
	assert_string_equal(words(&usual, 39), "12 s, 48231 messages, 3 records lost");
	whole.lost = 0;
	assert_string_equal(words(&whole, 79), "12 s, 48231 messages, 2001 calls, slowest 12.3 "
					       "ms");
	assert_string_equal(words(&whole, 39), "12 s, 48231 messages, slowest 12.3 ms");
	assert_string_equal(words(&whole, 36), "12 s, 48231 messages");
	assert_string_equal(words(&whole, 20), "12 s, 48231 messages");
	assert_string_equal(words(&whole, 19), "12 s");
	assert_string_equal(words(&whole, 3), "");
}

TEST(without_a_message_it_says_so)
{
	const struct so_far nothing = {.traced_ns = SECOND};

	assert_string_equal(words(&nothing, 80), "ipctrace: 1 s, no message yet");
	assert_string_equal(words(&nothing, 20), "1 s, no message yet");
}

TEST(one_is_one)
{
	const struct so_far one = {
		.traced_ns = SECOND,
		.messages = 1,
		.lost = 1,
		.slowest_ns = 64,
	};

	assert_string_equal(words(&one, 80),
			    "ipctrace: 1 s, 1 message, 1 record lost, slowest 64 ns, a message");
}

TEST(times_are_scaled_to_three_digits)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {{1, "1 ns"},           {999, "999 ns"},          {1234, "1.23 us"},
		     {1235, "1.24 us"},     {999499, "999 us"},       {999500, "1 ms"},
		     {59 * SECOND, "59 s"}, {1234 * SECOND, "1230 s"}};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const struct so_far so_far = {.messages = 2, .slowest_ns = times[i].ns};

		snprintf(text, sizeof(text), "ipctrace: 0 s, 2 messages, slowest %s, a message",
			 times[i].text);
		assert_string_equal(words(&so_far, 200), text);
	}
}

TEST(long_tracing_is_counted_in_minutes_and_hours)
{
	struct so_far so_far = {.traced_ns = 119 * SECOND};

	assert_string_equal(words(&so_far, 6), "119 s");
	so_far.traced_ns = 125 * SECOND;
	assert_string_equal(words(&so_far, 12), "2 min 5 s");
	so_far.traced_ns = (26 * 3600 + 3 * 60 + 59) * SECOND;
	assert_string_equal(words(&so_far, 12), "26 h 3 min");
}

/* What a number or a name would have to lose is left out, at every width. */
TEST(no_width_cuts_a_part_or_is_exceeded)
{
	const struct so_far huge = {
		.traced_ns = UINT64_MAX,
		.messages = UINT64_MAX,
		.calls = UINT64_MAX,
		.lost = UINT64_MAX,
		.slowest_ns = UINT64_MAX,
		.p99_ns = UINT64_MAX - 1,
		.to = "a-name-15-bytes\a (pid 4194304, tid 4194303)",
	};
	char whole[LINE_OF_PARTS_LEN], line[LINE_OF_PARTS_LEN], *part, *rest;

	snprintf(whole, sizeof(whole), "%s,", words(&huge, 1000));
	for (int columns = 0; columns <= 200; columns++) {
		snprintf(line, sizeof(line), "%s", words(&huge, columns));
		assert_in_range(plain_columns(line), 0, columns);
		for (part = strtok_r(line, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
			char ended[LINE_PART_LEN];

			snprintf(ended, sizeof(ended), "%s,", part);
			assert_non_null(strstr(whole, ended));
		}
	}
	assert_non_null(strstr(whole, ", 18446744073709551615 messages, "));
	assert_non_null(
		strstr(whole, ", a message to a-name-15-bytes\\007 (pid 4194304, tid 4194303), "));
}
