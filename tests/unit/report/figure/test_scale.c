/* SPDX-License-Identifier: BSD-2-Clause */
/* Scales, their round numbers, and numbers as text. */
#include "support/build.h"

#include "report/figure/scale.h"

#include <math.h>

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * fmax(1, fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

TEST(a_value_has_its_place)
{
	const struct scale linear = {.from = 10, .to = 20, .start = 100, .end = 200};
	const struct scale upwards = {.from = 0, .to = 4, .start = 80, .end = 0};
	const struct scale log = {.from = 10, .to = 1000, .start = 0, .end = 50, .is_log = true};

	assert_near(scale_place(&linear, 15), 150);
	assert_near(scale_place(&upwards, 1), 60);
	assert_near(scale_place(&log, 100), 25);
}

TEST(what_is_outside_is_at_the_end)
{
	const struct scale linear = {.from = 10, .to = 20, .start = 100, .end = 200};
	const struct scale log = {.from = 10, .to = 1000, .start = 0, .end = 50, .is_log = true};

	assert_near(scale_place(&linear, 9), 100);
	assert_near(scale_place(&linear, 1e9), 200);
	assert_near(scale_place(&log, 0), 0);
	assert_near(scale_place(&log, -1), 0);
}

TEST(a_scale_without_length_has_one_place)
{
	const struct scale scale = {.from = 5, .to = 5, .start = 7, .end = 90};
	double tick[TICKS_MAX], step;

	assert_near(scale_place(&scale, 5), 7);
	assert_int_equal(scale_ticks(&scale, 5, tick, &step), 0);
}

TEST(linear_ticks_are_round)
{
	const struct scale scale = {.from = 3, .to = 97, .start = 0, .end = 1};
	double tick[TICKS_MAX], step;

	assert_int_equal(scale_ticks(&scale, 6, tick, &step), 4);
	assert_near(step, 20);
	assert_near(tick[0], 20);
	assert_near(tick[3], 80);
}

TEST(log_ticks_are_powers)
{
	const struct scale scale = {.from = 10, .to = 1e6, .start = 0, .end = 1, .is_log = true};
	double tick[TICKS_MAX], step;

	assert_int_equal(scale_ticks(&scale, 20, tick, &step), 16);
	assert_near(tick[1], 20);
	assert_near(tick[2], 50);
	assert_int_equal(scale_ticks(&scale, 6, tick, &step), 6);
	assert_near(tick[5], 1e6);
	assert_near(step, 0);
	assert_int_equal(scale_ticks(&scale, 3, tick, &step), 3);
	assert_near(tick[0], 100);
}

/* 40 us to 60 us have one such power. */
TEST(a_short_log_scale_has_equal_distances)
{
	const struct scale scale = {.from = 4e4, .to = 6e4, .start = 0, .end = 1, .is_log = true};
	double tick[TICKS_MAX], step;

	assert_int_equal(scale_ticks(&scale, 5, tick, &step), 5);
	assert_near(step, 5000);
	assert_near(tick[1], 45000);
}

TEST(a_scale_is_rounded)
{
	struct scale linear = {.from = 3, .to = 97};
	struct scale log = {.from = 3, .to = 97, .is_log = true};

	scale_round(&linear);
	scale_round(&log);
	assert_near(linear.from, 0);
	assert_near(linear.to, 100);
	assert_near(log.from, 2);
	assert_near(log.to, 100);
}

static void assert_text(enum measure measure, double value, double largest, double step,
			const char *expected)
{
	char text[MEASURE_LEN];

	assert_string_equal(measure_text(measure, value, largest, step, text), expected);
}

TEST(a_number_alone_has_three_digits)
{
	assert_string_equal(NS_TEXT(812), "812 ns");
	assert_string_equal(NS_TEXT(1234), "1.23 µs");
	assert_string_equal(NS_TEXT(12345), "12.3 µs");
	assert_string_equal(NS_TEXT(123456), "123 µs");
	assert_string_equal(NS_TEXT(999600), "1.00 ms");
	assert_string_equal(NS_TEXT(2e9), "2 s");
	assert_string_equal(NS_TEXT(0), "0 ns");
	assert_string_equal(COUNT_TEXT(9999), "9999");
	assert_string_equal(COUNT_TEXT(123456), "123 k");
	assert_string_equal(measure_text(MEASURE_SHARE, 0.125, 1, 0, (char[MEASURE_LEN]){0}),
			    "12.5 %");
}

TEST(numbers_of_an_axis_have_one_unit)
{
	assert_text(MEASURE_NS, 500, 2000, 500, "0.5 µs");
	assert_text(MEASURE_NS, 2000, 2000, 500, "2.0 µs");
	assert_text(MEASURE_NS, 0, 2000, 500, "0.0 µs");
	assert_text(MEASURE_SHARE, 0.2, 1, 0.1, "20 %");
	assert_text(MEASURE_NUMBER, 1200, 1200, 100, "1200");
}

TEST(what_is_not_known_is_a_dash)
{
	assert_text(MEASURE_NS, NAN, NAN, 0, "-");
	assert_text(MEASURE_COUNT, INFINITY, 1, 0, "-");
	assert_text(MEASURE_NS, -0.2, 1, 1, "0 ns");
}
