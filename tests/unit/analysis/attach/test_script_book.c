/* SPDX-License-Identifier: BSD-2-Clause */
/* What the interpreters of an attach execute. */
#include "support/build.h"

#include "analysis/attach/script_book.h"

#include <string.h>

static struct script_book *book;
static struct summary summary;

static int setup(void **state)
{
	summary = (struct summary){0};
	book = script_book__new();
	return book ? 0 : -1;
}

static int teardown(void **state)
{
	summary_clean(&summary);
	script_book__free(book);
	return 0;
}

EACH_TEST(setup, teardown)

static void add_of(uint32_t pid, const char *text, bool is_target)
{
	struct record_script script = {.head = {.type = RECORD_SCRIPT, .tid = pid}};

	strncpy(script.text, text, sizeof(script.text) - 1);
	assert_int_equal(script_book__add(book, &script, is_target), 0);
}

static void add(uint32_t pid, const char *text)
{
	add_of(pid, text, false);
}

static void finish(void)
{
	assert_int_equal(script_book__finish(book, &summary), 0);
}

TEST(without_records_there_is_none)
{
	finish();
	assert_int_equal(summary.script_cnt, 0);
	assert_null(summary_script(&summary, 1));
}

TEST(a_process_is_found_by_its_number)
{
	add(30, "c.py");
	add(10, "a.py");
	add(20, "b.py");
	finish();
	assert_int_equal(summary.script_cnt, 3);
	assert_string_equal(summary_script(&summary, 10), "a.py");
	assert_string_equal(summary_script(&summary, 20), "b.py");
	assert_string_equal(summary_script(&summary, 30), "c.py");
	assert_null(summary_script(&summary, 15));
}

TEST(the_last_record_counts)
{
	add(10, "a.py");
	add(20, "b.py");
	add(10, "other.py");
	add(20, "");
	finish();
	assert_int_equal(summary.script_cnt, 1);
	assert_string_equal(summary_script(&summary, 10), "other.py");
	assert_null(summary_script(&summary, 20));
}

TEST(a_text_without_end_is_cut)
{
	struct record_script script = {.head = {.type = RECORD_SCRIPT, .tid = 1}};

	memset(script.text, 'x', sizeof(script.text));
	assert_int_equal(script_book__add(book, &script, false), 0);
	finish();
	assert_int_equal(strlen(summary_script(&summary, 1)), SCRIPT_LEN - 1);
}

TEST(the_oldest_is_forgotten)
{
	for (uint32_t i = 1; i <= SCRIPT_BOOK_MAX + 1; i++)
		add(i, "x.py");
	finish();
	assert_int_equal(summary.script_cnt, SCRIPT_BOOK_MAX);
	assert_null(summary_script(&summary, 1));
	assert_non_null(summary_script(&summary, SCRIPT_BOOK_MAX + 1));
}

TEST(a_target_stays_when_clients_are_forgotten)
{
	add_of(1, "server.py", true);
	for (uint32_t i = 2; i <= 2 * SCRIPT_BOOK_MAX; i++)
		add(i, "client.py");
	finish();
	assert_int_equal(summary.script_cnt, SCRIPT_BOOK_MAX);
	assert_string_equal(summary_script(&summary, 1), "server.py");
}

TEST(among_targets_the_oldest_is_forgotten)
{
	for (uint32_t i = 1; i <= SCRIPT_BOOK_MAX + 1; i++)
		add_of(i, "server.py", true);
	finish();
	assert_int_equal(summary.script_cnt, SCRIPT_BOOK_MAX);
	assert_null(summary_script(&summary, 1));
}
