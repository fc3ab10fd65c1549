/* SPDX-License-Identifier: BSD-2-Clause */
/* --format hgrm: the percentiles of one latency, as HdrHistogram writes them. */
#include "support/build.h"
#include "support/sample.h"

#include <errno.h>
#include <string.h>

static char *show(const struct summary *summary, bool has_unit, enum unit_kind unit)
{
	return sample_show_styled("hgrm", (struct report_style){.has_unit = has_unit, .unit = unit},
				  &summary, 1);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

TEST(each_half_of_the_rest_has_five_lines)
{
	struct summary summary = {.info.traced = true};
	char *text;

	for (int i = 1; i <= 16; i++)
		stat_add(&summary.latency, 1000 * i);
	text = show(&summary, true, UNIT_MESSAGE);
	assert_string_equal(text, "       Value     Percentile TotalCount 1/(1-Percentile)\n"
				  "\n"
				  "    0.001000 0.000000000000          1           1.00\n"
				  "    0.002000 0.100000000000          2           1.11\n"
				  "    0.004001 0.200000000000          4           1.25\n"
				  "    0.005003 0.300000000000          5           1.43\n"
				  "    0.007003 0.400000000000          7           1.67\n"
				  "    0.008003 0.500000000000          8           2.00\n"
				  "    0.009007 0.550000000000          9           2.22\n"
				  "    0.010007 0.600000000000         10           2.50\n"
				  "    0.011007 0.650000000000         11           2.86\n"
				  "    0.012007 0.700000000000         12           3.33\n"
				  "    0.012007 0.750000000000         12           4.00\n"
				  "    0.013007 0.775000000000         13           4.44\n"
				  "    0.013007 0.800000000000         13           5.00\n"
				  "    0.014007 0.825000000000         14           5.71\n"
				  "    0.014007 0.850000000000         14           6.67\n"
				  "    0.014007 0.875000000000         14           8.00\n"
				  "    0.015007 0.887500000000         15           8.89\n"
				  "    0.015007 0.900000000000         15          10.00\n"
				  "    0.015007 0.912500000000         15          11.43\n"
				  "    0.015007 0.925000000000         15          13.33\n"
				  "    0.015007 0.937500000000         15          16.00\n"
				  "    0.016000 1.000000000000         16            inf\n"
				  "#[Mean    =     0.008500, StdDeviation   =     0.004610]\n"
				  "#[Max     =     0.016000, Total count    =           16]\n"
				  "#[Buckets =           55, SubBuckets     =         1024]\n"
				  "#[ipctrace: latency of messages, in milliseconds]\n");
	stat_free(&summary.latency);
}

TEST(one_value_is_one_line)
{
	struct summary summary = {.info.traced = true};
	char *text;

	stat_add(&summary.latency, 5000000);
	text = show(&summary, true, UNIT_MESSAGE);
	assert_has(text, "\n\n    5.000000 1.000000000000          1            inf\n#[Mean");
	stat_free(&summary.latency);
}

TEST(without_values_there_is_no_line)
{
	struct summary summary = {.info.traced = true};
	char *text = show(&summary, true, UNIT_CALL);

	assert_has(text, "1/(1-Percentile)\n\n#[Mean");
	assert_has(text, "Total count    =            0]");
	assert_has(text, "round trip of calls");
}

TEST(a_recording_that_breaks_off_says_so)
{
	struct summary summary = {.info.traced = true, .integrity.truncated = true};
	char *text = show(&summary, true, UNIT_MESSAGE);

	assert_has(text, "milliseconds; the recording breaks off before its end]\n");
}

/* A push has rounds, and the calls of an attach are what its messages are for. */
TEST(the_summary_decides_what_is_shown)
{
	struct summary *push = sample_summary(3);
	struct summary *attach;
	char *text;

	assert_has(show(push, false, UNIT_MESSAGE), "last latency of rounds");
	text = show(push, true, UNIT_MESSAGE);
	assert_has(text, "latency of messages");
	assert_has(text, "Total count    =          300]");
	attach = sample_attach();
	attach->calls.messages = attach->integrity.matched;
	assert_has(show(attach, false, UNIT_MESSAGE), "round trip of calls");
}

TEST(a_full_disk_is_an_error)
{
	struct summary *summary = sample_summary(3);

	assert_int_equal(sample_show_full("hgrm", summary), -ENOSPC);
}

/* Between 100 % and the number before it there is none, though values may be left for it. */
TEST(lines_end_before_doubles_do)
{
	struct summary summary = {.info.traced = true};
	char *text;

	stat_add(&summary.latency, 1000);
	for (int i = 0; i < 59; i++)
		stat_merge(&summary.latency, &summary.latency);
	stat_add(&summary.latency, 2000);
	assert_true(stat_is_possible(&summary.latency));
	text = show(&summary, true, UNIT_MESSAGE);
	assert_true(strlen(text) < 20000);
	assert_has(text, "    0.002000 1.000000000000 576460752303423489            inf\n#[Mean");
	stat_free(&summary.latency);
}
