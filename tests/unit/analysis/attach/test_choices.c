/* SPDX-License-Identifier: BSD-2-Clause */
/* What options that name processes met. */
#include "support/build.h"

#include "analysis/attach/choices.h"

#include <stdio.h>

static struct end_summary end_of(uint32_t pid, const char *comm)
{
	struct end_summary end = {.pid = pid, .tid = pid};

	snprintf(end.comm, sizeof(end.comm), "%s", comm);
	return end;
}

TEST(a_choice_is_a_pid_or_a_glob)
{
	const struct end_summary redis = end_of(812, "redis-server");

	assert_true(choice_means("redis-server", &redis));
	assert_true(choice_means("redis*", &redis));
	assert_true(choice_means("812", &redis));
	assert_false(choice_means("81", &redis));
	assert_false(choice_means("redis", &redis));
	assert_false(choice_means("", &redis));
	assert_false(choice_means(NULL, &redis));
	assert_true(choice_means("nginx,redis*", &redis));
	assert_true(choice_means("812,nginx", &redis));
	assert_false(choice_means("81,nginx,", &redis));
}

TEST(one_match_is_enough)
{
	const struct end_summary one = end_of(1, "one"), two = end_of(2, "two");
	struct choice choice = {.wanted = "two"};
	struct choice_summary summary;

	choice_meet(&choice, &one, NULL);
	choice_meet(&choice, &one, &two);
	choice_meet(&choice, NULL, NULL);
	choice_finish(&choice, &summary);
	assert_int_equal(summary.matched, 1);
	assert_int_equal(summary.others, 1);
	assert_int_equal(summary.names, 0);
}

/* Processes of one name are one entry: of several, none is named. */
TEST(without_a_match_the_most_frequent_names_are_kept)
{
	const struct end_summary server = end_of(1, "server"), first = end_of(2, "client"),
				 second = end_of(3, "client"), rare = end_of(4, "rare"),
				 last = end_of(5, "x");
	struct choice choice = {.wanted = "nosuch"};
	struct choice_summary summary;

	choice_meet(&choice, &last, NULL);
	choice_meet(&choice, &server, &first);
	choice_meet(&choice, &second, &server);
	choice_meet(&choice, &first, &second);
	for (int i = 0; i < 2; i++)
		choice_meet(&choice, &rare, &server);
	choice_finish(&choice, &summary);
	assert_int_equal(summary.matched, 0);
	assert_int_equal(summary.others, 6);
	assert_int_equal(summary.names, 4);
	assert_string_equal(summary.seen[0].end.comm, "server");
	assert_int_equal(summary.seen[0].end.pid, 1);
	assert_int_equal(summary.seen[0].messages, 4);
	assert_string_equal(summary.seen[1].end.comm, "client");
	assert_int_equal(summary.seen[1].end.pid, 0);
	assert_int_equal(summary.seen[1].messages, 3);
	assert_string_equal(summary.seen[2].end.comm, "rare");
}

TEST(an_option_that_is_not_given_meets_nothing)
{
	const struct end_summary one = end_of(1, "one");
	struct choice choice = {.wanted = ""};
	struct choice_summary summary;

	choice_meet(&choice, &one, &one);
	choice_finish(&choice, &summary);
	assert_int_equal(summary.others, 0);
}
