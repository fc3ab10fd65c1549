/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of valid words. */
#include "support/build.h"

#include "util/word_list.h"

#include <string.h>

TEST(words_have_commas_between_them)
{
	char text[32] = "";
	struct word_list list = {.text = text, .size = sizeof(text)};

	word_list_add(&list, "%s", "this");
	assert_string_equal(text, "this");
	word_list_add(&list, "%s=%d", "that", 2);
	assert_string_equal(text, "this, that=2");
	assert_int_equal(list.used, strlen(text));
}

TEST(what_does_not_fit_is_cut_off)
{
	char text[16];
	struct word_list list = {.text = text, .size = 10};

	memset(text, '#', sizeof(text));
	for (int i = 0; i < 4; i++)
		word_list_add(&list, "%s", "four");
	assert_string_equal(text, "four, fou");
	assert_int_equal(text[10], '#');
}
