/* SPDX-License-Identifier: BSD-2-Clause */
/* Which parts of a line are left out where there is no room for all. */
#include "support/build.h"

#include "report/words/so_far.h"

#include <locale.h>
#include <string.h>

static const char *fitted(const struct line_parts *parts, int columns)
{
	static char line[LINE_OF_PARTS_LEN];

	line_parts_fit(parts, columns, line);
	return line;
}

static struct line_parts three(void)
{
	struct line_parts parts = {0};

	line_parts_add(&parts, 7, "%s: ", "program");
	line_parts_add(&parts, 1, "round %d", 12345);
	line_parts_add(&parts, 3, ", 5 s left");
	return parts;
}

TEST(the_highest_ranks_are_left_out_first)
{
	const struct line_parts parts = three();

	assert_string_equal(fitted(&parts, 1000), "program: round 12345, 5 s left");
	assert_string_equal(fitted(&parts, 30), "program: round 12345, 5 s left");
	assert_string_equal(fitted(&parts, 29), "round 12345, 5 s left");
	assert_string_equal(fitted(&parts, 20), "round 12345");
	assert_string_equal(fitted(&parts, 10), "");
	assert_string_equal(fitted(&parts, 0), "");
}

TEST(no_part_stands_without_the_one_of_lower_rank)
{
	struct line_parts parts = {0};

	line_parts_add(&parts, 0, "1 s");
	line_parts_add(&parts, 1, ", a long word that does not fit");
	line_parts_add(&parts, 2, ", x");
	assert_string_equal(fitted(&parts, 20), "1 s");
}

TEST(foreign_names_are_plain_and_count_as_they_are_shown)
{
	struct line_parts parts = {0};

	line_parts_add(&parts, 0, "to %s", "\x1b[2J");
	assert_string_equal(fitted(&parts, 10), "to \\033[2J");
	assert_string_equal(fitted(&parts, 9), "");
}

TEST(a_wide_character_takes_two_columns)
{
	struct line_parts parts = {0};

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	line_parts_add(&parts, 0, "to %s", "\u4e2d\u6587");
	assert_string_equal(fitted(&parts, 7), "to \u4e2d\u6587");
	assert_string_equal(fitted(&parts, 6), "");
}

TEST(nothing_is_written_beyond_the_room)
{
	struct line_parts parts = {0};
	char name[2 * LINE_PART_LEN];

	memset(name, '\a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < LINE_PARTS_MAX + 1; i++)
		line_parts_add(&parts, i, "%s", name);
	assert_int_equal(parts.cnt, LINE_PARTS_MAX);
	assert_in_range(strlen(fitted(&parts, INT32_MAX)), LINE_PARTS_MAX * (LINE_PART_LEN - 4),
			LINE_OF_PARTS_LEN - 1);
}
