/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing of numbers, durations and lists: wrong text is refused by name. */
#include "support/build.h"
#include "support/capture.h"

#include "util/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_NS 60000000000ULL
#define DAY_NS    (24 * 60 * MINUTE_NS)

static void refuse_number(const char *text, uint64_t min, uint64_t max, const char *reason)
{
	char why[PARSE_WHY_LEN] = "";
	uint64_t value = 4711;

	if (parse_number(text, min, max, &value, why) != -EINVAL)
		fail_msg("'%s' is taken for a number", text);
	assert_int_equal(value, 4711);
	assert_has(why, text);
	assert_has(why, reason);
}

static void take_number(const char *text, uint64_t min, uint64_t max, uint64_t expected)
{
	char why[PARSE_WHY_LEN] = "untouched";
	uint64_t value = 4711;

	assert_int_equal(parse_number(text, min, max, &value, why), 0);
	assert_int_equal(value, expected);
	assert_string_equal(why, "untouched");
}

TEST(a_number_is_digits_and_nothing_else)
{
	static const char *const bad[] = {"",    "-1", "+1", " 1",    "1 ",  "1-", "0x10",    "1e3",
					  "1.0", "x",  "5k", "1,000", "\t1", "-",  "\xd9\xa3"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_number(bad[i], 0, UINT64_MAX, "not a whole number");
	take_number("0", 0, 10, 0);
	take_number("007", 0, 10, 7);
	take_number("00000000000000000000000000000000001", 0, 10, 1);
}

TEST(a_number_stays_within_its_bounds)
{
	take_number("1", 1, 99, 1);
	take_number("99", 1, 99, 99);
	refuse_number("0", 1, 99, "1 to 99");
	refuse_number("100", 1, 99, "1 to 99");
	take_number("18446744073709551615", 0, UINT64_MAX, UINT64_MAX);
	refuse_number("18446744073709551615", 0, UINT64_MAX - 1, "0 to 18446744073709551614");
}

TEST(a_number_too_large_for_64_bits_does_not_wrap)
{
	static const char *const bad[] = {"18446744073709551616", "18446744073709551617",
					  "99999999999999999999",
					  "340282366920938463463374607431768"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_number(bad[i], 0, UINT64_MAX, "");
}

/* It is a whole number; only its size is wrong. */
TEST(a_number_too_large_for_64_bits_is_refused_for_its_size)
{
	refuse_number("99999999999999999999", 1, 99, "1 to 99");
}

TEST(a_failed_call_before_leaves_no_trace_in_the_next)
{
	errno = ERANGE;
	take_number("5", 1, 99, 5);
	refuse_number("18446744073709551616", 0, UINT64_MAX, "");
	take_number("18446744073709551615", 0, UINT64_MAX, UINT64_MAX);
}

static void refuse_duration(const char *text, const char *remedy)
{
	char why[PARSE_WHY_LEN] = "";
	uint64_t ns = 4711;

	if (parse_duration(text, &ns, why) != -EINVAL)
		fail_msg("'%s' is taken for a duration", text);
	assert_int_equal(ns, 4711);
	assert_has(why, text);
	assert_has(why, remedy);
}

static void take_duration(const char *text, uint64_t expected)
{
	char why[PARSE_WHY_LEN];
	uint64_t ns = 0;

	assert_int_equal(parse_duration(text, &ns, why), 0);
	assert_int_equal(ns, expected);
}

TEST(a_duration_without_a_unit_is_refused_with_an_example)
{
	refuse_duration("10", "10ms");
	refuse_duration("0", "no unit");
	refuse_duration("1", "1s or 1ms, or use ns, us or m");
}

TEST(a_duration_has_a_number_and_a_known_unit)
{
	static const char *const numberless[] = {"",  "ms", "-1ms", "+1ms", " 1ms",
						 "x", "-",  ".5s",  "1.ms"};
	static const char *const unknown[] = {"10 ms", "10ms ", "10MS", "10h", "10msec", "1.5.5ms",
					      "1-",    "1e3ms", "10m5", "1µs", "5k",     "10sec"};

	for (size_t i = 0; i < ARRAY_SIZE(numberless); i++)
		refuse_duration(numberless[i], "a number and a unit");
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		refuse_duration(unknown[i], "ns, us, ms, s or m");
}

TEST(a_duration_is_its_number_times_its_unit)
{
	take_duration("1ns", 1);
	take_duration("7us", 7000);
	take_duration("10ms", 10000000);
	take_duration("2s", 2000000000);
	take_duration("3m", 3 * MINUTE_NS);
	take_duration("010ms", 10000000);
}

TEST(a_duration_with_decimals_is_exact_or_refused)
{
	static const char *const fine[] = {"1.5ns",
					   "0.0001us",
					   "0.0000000001s",
					   "0.00000000001m",
					   "0.00000000000000000001m",
					   "1.00000000000000000000000001s"};

	take_duration("0.5s", 500000000);
	take_duration("1.5ms", 1500000);
	take_duration("0.000000001s", 1);
	take_duration("1.000000001s", 1000000001);
	take_duration("1.0ns", 1);
	take_duration("1.50000000000000000000000000s", 1500000000);
	take_duration("0.00000000005m", 3);
	take_duration("1439.5m", DAY_NS - MINUTE_NS / 2);
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		refuse_duration(fine[i], "finer than a nanosecond: give fewer decimals");
	refuse_duration("0.0s", "1ns to one day");
	refuse_duration("1440.5m", "1ns to one day");
	refuse_duration("99999999999999999999.5s", "1ns to one day");
}

TEST(a_duration_is_between_a_nanosecond_and_a_day)
{
	static const char *const bad[] = {"0ns",
					  "0s",
					  "1441m",
					  "86401s",
					  "86400001ms",
					  "86400000000001ns",
					  "18446744073709551615ns",
					  "18446744073709551615m",
					  "307445734562m"}; /* wraps to 52 s in 64 bits */

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_duration(bad[i], "1ns to one day");
	take_duration("1440m", DAY_NS);
	take_duration("86400s", DAY_NS);
	take_duration("86400000000000ns", DAY_NS);
}

TEST(a_duration_too_large_for_64_bits_is_refused_for_its_size)
{
	refuse_duration("99999999999999999999ns", "1ns to one day");
}

static void refuse_list(const char *text, uint32_t max, const char *reason)
{
	char why[PARSE_WHY_LEN] = "";
	uint32_t *list = NULL;

	if (parse_number_list(text, max, &list, why) != -EINVAL)
		fail_msg("'%s' is taken for a list", text);
	assert_null(list);
	assert_has(why, text);
	assert_has(why, reason);
}

static void take_list(const char *text, uint32_t max, const uint32_t *expected, size_t expected_cnt)
{
	char why[PARSE_WHY_LEN];
	uint32_t *list = NULL;

	assert_int_equal(parse_number_list(text, max, &list, why), 0);
	assert_memory_equal(list, expected, expected_cnt * sizeof(*list));
	assert_int_equal(list[expected_cnt], 0);
	free(list);
}

#define TAKE_LIST(text, max, ...)                                                                  \
	take_list(text, max, (const uint32_t[]){__VA_ARGS__},                                      \
		  ARRAY_SIZE(((const uint32_t[]){__VA_ARGS__})))

TEST(a_list_keeps_the_order_it_is_given_in)
{
	TAKE_LIST("7", 1000, 7);
	TAKE_LIST("1-5,7,10", 1000, 1, 2, 3, 4, 5, 7, 10);
	TAKE_LIST("10,1-2,2", 1000, 10, 1, 2, 2);
	TAKE_LIST("3-3", 3, 3);
}

TEST(a_list_has_no_holes_and_nothing_but_numbers)
{
	static const char *const bad[] = {"",   ",",    "1,",    "1,,2", ",1",  "1-",   "-1",
					  "-",  "1--2", "1-2-3", "a",    "1;2", "1, 2", " 1",
					  "+1", "1-+2", "1- 2",  "1-,2", "1x1", "1.5",  "all"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_list(bad[i], 1000, "1-5,7,10");
}

TEST(a_list_stays_within_its_bounds)
{
	static const char *const bad[] = {"0",
					  "0-3",
					  "1001",
					  "1-1001",
					  "1,2,1001",
					  "7,0",
					  "1-18446744073709551615",
					  "18446744073709551615"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_list(bad[i], 1000, "1 to 1000");
}

TEST(a_number_in_a_list_does_not_wrap)
{
	refuse_list("18446744073709551617", 1000, "");
	refuse_list("1-18446744073709551617", 1000, "");
	refuse_list("4294967297", 1000, "1 to 1000");
	refuse_list("1-4294967297", UINT32_MAX, "1 to 4294967295");
}

/* 5 and 3 are both within 1 to 1000, so the error names the order. */
TEST(a_range_that_runs_backwards_is_refused_for_that)
{
	char why[PARSE_WHY_LEN] = "";
	uint32_t *list;

	refuse_list("5-3", 1000, "5-3");
	assert_int_equal(parse_number_list("5-3", 1000, &list, why), -EINVAL);
	assert_has_not(why, "not within");
}

TEST(a_list_has_at_most_a_thousand_numbers)
{
	char why[PARSE_WHY_LEN];
	uint32_t *list;

	assert_int_equal(parse_number_list("1-1000", 1000, &list, why), 0);
	assert_int_equal(list[0], 1);
	assert_int_equal(list[999], 1000);
	assert_int_equal(list[1000], 0);
	free(list);
	refuse_list("1-1000,1", 1000, "");
	refuse_list("1,1-1000", 1000, "");
	refuse_list("1-1001", 5000, "");
	refuse_list("1-4294967295", UINT32_MAX, "");
}

/* "1-1000,1" is a valid list that is too long. */
TEST(a_list_that_is_too_long_is_refused_for_its_length)
{
	char why[PARSE_WHY_LEN] = "";
	uint32_t *list;

	assert_int_equal(parse_number_list("1-1000,1", 1000, &list, why), -EINVAL);
	assert_has_not(why, "not a number or a list");
}

TEST(a_reason_never_outgrows_its_room)
{
	char long_text[4096], why[PARSE_WHY_LEN];
	uint32_t *list;
	uint64_t value;

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_int_equal(parse_number(long_text, 0, 1, &value, why), -EINVAL);
	assert_true(strlen(why) < PARSE_WHY_LEN - 1);
	assert_int_equal(parse_duration(long_text, &value, why), -EINVAL);
	assert_true(strlen(why) < PARSE_WHY_LEN - 1);
	assert_int_equal(parse_number_list(long_text, 9, &list, why), -EINVAL);
	assert_true(strlen(why) < PARSE_WHY_LEN - 1);
	memset(long_text, '0', 100);
	assert_int_equal(parse_duration(long_text, &value, why), -EINVAL);
	assert_true(strlen(why) < PARSE_WHY_LEN - 1);
}

TEST(a_size_has_a_number_and_a_unit_of_bytes)
{
	static const char *const wrong[] = {
		"",      "200", "MB",  "1.5MB",  "-1MB",           "200mb",
		"20MiB", "1B",  "0kB", "1001GB", "9999999999999GB"};
	char why[PARSE_WHY_LEN];
	uint64_t bytes = 4711;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(parse_size(wrong[i], &bytes, why), -EINVAL);
	assert_int_equal(bytes, 4711);
	assert_int_equal(parse_size("1kB", &bytes, why), 0);
	assert_int_equal(bytes, 1000);
	assert_int_equal(parse_size("200MB", &bytes, why), 0);
	assert_int_equal(bytes, 200000000);
	assert_int_equal(parse_size("1000GB", &bytes, why), 0);
	assert_int_equal(bytes, 1000000000000);
}

TEST(words_are_what_commas_are_between)
{
	static const char *const expected[] = {"uds", "", "uds-stream", " tcp", "much"};
	const char *text = "uds,,uds-stream, tcp,much too long";
	char word[16];

	for (size_t i = 0; i < 4; i++) {
		assert_true(parse_word(&text, word, sizeof(word)));
		assert_string_equal(word, expected[i]);
	}
	assert_true(parse_word(&text, word, 5));
	assert_string_equal(word, expected[4]);
	assert_false(parse_word(&text, word, sizeof(word)));
	text = "";
	assert_true(parse_word(&text, word, sizeof(word)));
	assert_string_equal(word, "");
	assert_false(parse_word(&text, word, sizeof(word)));
}
