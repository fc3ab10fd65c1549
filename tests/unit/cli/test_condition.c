/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions: a wrong one is refused with the place; a right one is true for the right messages. */
#include "support/build.h"
#include "support/capture.h"

#include "cli/condition.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* `mark` has a ^ under the wrong place of `text`. */
static void refuse(const char *text, const char *mark, const char *why)
{
	struct condition condition;
	struct condition_error error = {0};

	if (condition_parse(text, &condition, &error) != -EINVAL)
		fail_msg("'%s' is taken for a condition", text);
	assert_has(error.why, why);
	if (error.at != strlen(mark) - 1)
		fail_msg("'%s': the place is %zu, not %zu: %s", text, error.at, strlen(mark) - 1,
			 error.why);
}

static struct condition take(const char *text)
{
	struct condition condition;
	struct condition_error error = {0};

	if (condition_parse(text, &condition, &error))
		fail_msg("'%s': refused: %s", text, error.why);
	assert_string_equal(condition.text, text);
	return condition;
}

TEST(a_wrong_quantity_is_marked)
{
	refuse("latncy>2ms", "^", "'latncy': not a quantity: use one of dispatch");
	refuse("latncy>2ms", "^", "latency, late, first, next, last, round_trip");
	refuse(" run queue>2ms", " ^", "'run': not a quantity");
	refuse("2ms<latency", "^", "'2ms': not a quantity");
	refuse("latency>1ms and Runqueue>2ms", "                ^", "'Runqueue'");
	refuse("p99.runqueue<200us", "^", "'p99.runqueue'");
	refuse(">2ms", "^", "'>': not a quantity");
	refuse("latency_>2ms", "^", "'latency_'");
}

TEST(a_wrong_comparison_is_marked)
{
	refuse("latency 2ms", "        ^", "'2ms': not a comparison: use >, >=, < or <=");
	refuse("latency==2ms", "       ^", "'=='");
	refuse("latency=>2ms", "       ^", "'=>'");
	refuse("latency>>2ms", "       ^", "'>>'");
	refuse("latency!=2ms", "       ^", "'!='");
}

TEST(a_wrong_limit_is_marked)
{
	refuse("latency>2", "        ^", "'2': no unit: write 2s or 2ms");
	refuse("latency>2mss", "        ^", "'2mss': unknown unit");
	refuse("latency>2.5.1ms", "        ^", "'2.5.1ms'");
	refuse("latency>-2ms", "        ^", "'-': not a duration");
	refuse("latency > 0ms", "          ^", "'0ms': out of range");
	refuse("latency>runqueue", "        ^", "'runqueue': not a duration");
	refuse("latency>2 ms", "        ^", "'2': no unit");
	refuse("latency>99999999999999999999s", "        ^", "out of range");
}

TEST(what_is_missing_is_marked_behind_the_end)
{
	refuse("", "^", "a comparison is missing");
	refuse("   ", "   ^", "a comparison is missing");
	refuse("latency", "       ^", "its limit is missing");
	refuse("latency>", "        ^", "its limit is missing");
	refuse("latency>2ms and", "               ^", "a comparison is missing");
	refuse("latency>2ms or ", "               ^", "a comparison is missing");
}

TEST(what_is_too_much_is_marked)
{
	refuse("latency>2ms latency>3ms", "            ^", "'latency': not expected here");
	refuse("latency>2ms)", "           ^", "')': not expected here");
	refuse("latency>2ms && busy>1ms", "            ^", "'&&': not expected here");
	refuse("latency>2ms andbusy>1ms", "            ^", "'andbusy'");
	refuse("latency>2ms AND busy>1ms", "            ^", "'AND'");
	refuse("latency>2ms;busy>1ms", "           ^", "';'");
	refuse("and latency>2ms", "^", "'and': not a quantity");
	refuse("latency>2ms or or busy>1ms", "               ^", "'or': not a quantity");
}

TEST(parentheses_have_to_fit)
{
	refuse("(latency>2ms", "^", "'(': its end is missing: add )");
	refuse("latency>2ms or (busy>1ms and (room>1ms)", "               ^", "its end is missing");
	refuse("()", " ^", "')': not a quantity");
	refuse("(latency>2ms busy>1ms)", "             ^", "write and, or, or )");
	refuse("((((((((((((((((((latency>2ms))))))))))))))))))", "                ^",
	       "more than 16");
}

TEST(a_condition_that_can_never_be_true_is_refused)
{
	refuse("runqueue>1ms and service>2ms", "             ^", "'and': never true");
	refuse("(latency>1ms or busy>1ms) and round_trip>2ms", "                          ^",
	       "'and': never true");
	take("runqueue>1ms or service>2ms");
	take("(runqueue>1ms or service>2ms) and (latency>5ms or round_trip>5ms)");
}

TEST(long_ones_are_refused)
{
	char text[1024] = "latency>1ms", *end = text + strlen(text);
	struct condition condition;
	struct condition_error error;

	for (int i = 0; i < 19; i++)
		end += sprintf(end, " or busy>1ms");
	take(text);
	for (int i = 0; i < 50; i++)
		end += sprintf(end, " or busy>1ms");
	assert_int_equal(condition_parse(text, &condition, &error), -EINVAL);
	assert_has(error.why, "longer than 255 bytes");
}

TEST(as_many_comparisons_as_fit)
{
	char text[CONDITION_TEXT_LEN] = "", *end = text;

	for (int i = 0; i < 23; i++)
		end += sprintf(end, "%sroom>1s", i ? " or " : "");
	assert_int_equal(take(text).step_cnt, 45);
}

/* Latency 5 ms, of which run queue 3 ms and busy 2 ms; nothing else is known. */
static bool is_true(const char *text)
{
	struct condition condition = take(text);
	struct quantities of = {0};

	quantities_set(&of, QUANTITY_LATENCY, 5000000);
	quantities_set(&of, (enum quantity)COMPONENT_RUNQUEUE, 3000000);
	quantities_set(&of, (enum quantity)COMPONENT_BUSY, 2000000);
	return condition_is_true(&condition, &of);
}

TEST(comparisons_are_exact)
{
	assert_true(is_true("latency>4999999ns"));
	assert_false(is_true("latency>5ms"));
	assert_true(is_true("latency>=5ms"));
	assert_false(is_true("latency>=5000001ns"));
	assert_true(is_true("latency<5000001ns"));
	assert_false(is_true("latency<5ms"));
	assert_true(is_true("latency<=5ms"));
	assert_false(is_true("latency<=4999us"));
}

TEST(what_is_not_known_fulfils_no_comparison)
{
	assert_false(is_true("blocked>1ns"));
	assert_false(is_true("blocked<1s"));
	assert_false(is_true("blocked>=1ns or blocked<1ns"));
	assert_false(is_true("round_trip<1s"));
	assert_false(is_true("first<=1s or next<=1s or last<=1s or late<=1s"));
}

TEST(and_binds_stronger_than_or)
{
	assert_true(is_true("latency>1ms or busy>1s and runqueue>1s"));
	assert_false(is_true("(latency>1ms or busy>1s) and runqueue>1s"));
	assert_true(is_true("busy>1s and runqueue>1s or latency>1ms"));
	assert_false(is_true("busy>1s and (runqueue>1s or latency>1ms)"));
	assert_true(is_true("busy>1ms and runqueue>1ms and latency>1ms"));
	assert_false(is_true("busy>1ms and runqueue>1s and latency>1ms"));
	assert_true(is_true("((latency>1ms))and(busy>1ms)"));
	assert_true(is_true("\tlatency\n >\t1ms "));
}

TEST(the_first_true_comparison_decides)
{
	struct condition condition = take("busy>1s or runqueue>1ms or latency>1ms");
	struct quantities of = {0};

	quantities_set(&of, QUANTITY_LATENCY, 5000000);
	assert_int_equal(condition_decider(&condition, &of), QUANTITY_LATENCY);
	quantities_set(&of, (enum quantity)COMPONENT_RUNQUEUE, 3000000);
	assert_int_equal(condition_decider(&condition, &of), COMPONENT_RUNQUEUE);
}

TEST(an_empty_condition_is_never_true)
{
	const struct condition none = {0};
	struct quantities of = {0};

	quantities_set(&of, QUANTITY_LATENCY, 1);
	assert_false(condition_is_true(&none, &of));
}

TEST(slower_than_is_a_condition)
{
	struct condition condition = condition_slower_than(1000000);
	struct quantities of = {0};

	quantities_set(&of, QUANTITY_LATENCY, 1000000);
	assert_false(condition_is_true(&condition, &of));
	quantities_set(&of, QUANTITY_LATENCY, 1000001);
	assert_true(condition_is_true(&condition, &of));
}

TEST(every_quantity_can_be_named)
{
	for (int i = 0; i < NR_QUANTITIES; i++) {
		struct condition condition;
		struct condition_error error;
		char text[64];

		snprintf(text, sizeof(text), "%s<=1us", quantity_name(i));
		assert_int_equal(condition_parse(text, &condition, &error), 0);
		assert_int_equal(condition.step[0].quantity, i);
	}
}

TEST(the_components_keep_their_names)
{
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_string_equal(quantity_name(i), components[i].name);
}

TEST(the_user_sees_the_place)
{
	struct condition condition;
	struct capture err;
	int status;

	capture_begin(&err, STDERR_FILENO);
	status = parse_condition("trigger", "latency>2ms or ru\xc3\xbcn>1ms", &condition);
	capture_end(&err);
	assert_int_equal(status, EINVAL);
	assert_has(err.text, "ipctrace: --trigger: 'ru': not a quantity: use one of dispatch");
	assert_has(err.text, "\n"
			     "  latency>2ms or ru??n>1ms\n"
			     "                 ^\n");
}
