/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that are too long for the page are laid out anew, and lose nothing. */
#include "report/text/page.h"

#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 40
#define ROUNDS    400

struct sheet {
	char *text;
	size_t size;
	FILE *out;
	struct page *page;
	FILE *stream;
};

static void begin(struct sheet *sheet, int columns)
{
	sheet->out = open_memstream(&sheet->text, &sheet->size);
	assert_non_null(sheet->out);
	sheet->page = page_open(sheet->out, columns);
	assert_non_null(sheet->page);
	sheet->stream = page_stream(sheet->page);
}

/* What the page shows. */
static char *finish(struct sheet *sheet)
{
	assert_int_equal(page_close(sheet->page), 0);
	assert_int_equal(fclose(sheet->out), 0);
	return drop_after(sheet->text, free);
}

static void put(struct sheet *sheet, const char *text)
{
	assert_int_equal(fputs(text, sheet->stream) < 0, 0);
	assert_int_equal(fflush(sheet->stream), 0);
}

/* A word of 1 to 19 letters or digits, as numbers and names are. */
static size_t random_word(unsigned int *seed, char *word)
{
	static const char letters[] = "0123456789.abcdefghijklmnopqrstuvwxyz";
	size_t length = 1 + (size_t)rand_r(seed) % 19, digits = rand_r(seed) % 2 ? 11 : 37;

	for (size_t i = 0; i < length; i++)
		word[i] = letters[(size_t)rand_r(seed) % digits];
	word[length] = '\0';
	return length;
}

/* Line ends and runs of blanks are layout: what is left is the same on a page of any width. */
TEST(words_and_numbers_stay_whole)
{
	unsigned int seed = 1;

	for (int round = 0; round < ROUNDS; round++) {
		char line[WORDS_MAX * 24] = "", *text;
		int columns = 20 + rand_r(&seed) % 100;
		int cnt = 1 + rand_r(&seed) % WORDS_MAX, blanks = rand_r(&seed) % 60;
		struct sheet sheet;
		size_t at = (size_t)snprintf(line, sizeof(line), "%*s", blanks, "");

		for (int i = 0; i < cnt && at + 60 < sizeof(line); i++) {
			at += random_word(&seed, line + at);
			at += (size_t)sprintf(line + at, "%*s",
					      i + 1 < cnt ? 1 + rand_r(&seed) % 3 : 0, "");
		}
		begin(&sheet, columns);
		put(&sheet, line);
		put(&sheet, "\n");
		text = finish(&sheet);
		assert_width(text, (size_t)columns);
		strcat(line, "\n");
		assert_string_equal(unwrapped(text), unwrapped(line));
	}
}

static void put_row(struct sheet *sheet, const char *label, const char *const *cell, int cnt,
		    const char *tail)
{
	put(sheet, label);
	for (int i = 0; i < cnt; i++) {
		page_cell(sheet->page);
		put(sheet, cell[i]);
	}
	page_tail(sheet->page);
	put(sheet, tail);
	put(sheet, "\n");
}

TEST(a_row_of_a_wide_table_is_stacked)
{
	static const char *const cells[] = {"   1.5", "", "  234.5", "  a name of two lines"};
	struct sheet sheet;
	char *text;

	begin(&sheet, 20);
	assert_true(page_table(sheet.page, 21, 4));
	page_cell_title(sheet.page, NULL, "mean");
	page_cell_title(sheet.page, NULL, "p50");
	page_cell_title(sheet.page, "up", "to");
	page_cell_title(sheet.page, NULL, "by");
	put_row(&sheet, "  label   ", cells, 4, "  ###");
	put(&sheet, "\n");
	put_row(&sheet, "other", cells, 1, "");
	text = finish(&sheet);
	assert_string_equal(text, "  label\n"
				  "    mean    1.5\n"
				  "    up to 234.5\n"
				  "    by    a name of\n"
				  "          two lines\n"
				  "    ###\n"
				  "\n"
				  "other   1.5\n");
}

/* The number of a client, say. */
TEST(a_cell_at_the_begin_is_the_label)
{
	static const char *const cells[] = {"    10"};
	struct sheet sheet;

	begin(&sheet, 20);
	assert_true(page_table(sheet.page, 21, 1));
	page_cell_title(sheet.page, NULL, "mean");
	page_cell(sheet.page);
	put_row(&sheet, "     1", cells, 1, "");
	assert_string_equal(finish(&sheet), "     1\n       mean 10\n");
}

/* Where a row has room, it is a row. */
TEST(a_table_that_fits_is_left_alone)
{
	static const char *const cells[] = {"   1.5", "  234.5"};
	struct sheet sheet;
	char *text;

	begin(&sheet, 40);
	assert_false(page_table(sheet.page, 40, 2));
	put_row(&sheet, "label", cells, 2, "  ###");
	put_row(&sheet, "label", cells, 2, "  words that find no room on this line");
	text = finish(&sheet);
	assert_string_equal(text, "label   1.5  234.5  ###\n"
				  "label   1.5  234.5  words that find no\n"
				  "                    room on this line\n");
}

/* A color goes on in the next line, and does not reach into the margin. */
TEST(colors_do_not_cross_lines)
{
	struct sheet sheet;
	char *text;

	begin(&sheet, 20);
	put(&sheet, "plain ");
	page_color(sheet.page, "\033[31m");
	put(&sheet, "red words that go on");
	page_color(sheet.page, NULL);
	put(&sheet, ".\n");
	text = finish(&sheet);
	assert_string_equal(text, "plain \033[31mred words that\033[0m\n"
				  "  \033[31mgo on\033[0m.\n");
}

TEST(a_page_without_end_has_lines_of_any_length)
{
	struct sheet sheet;

	begin(&sheet, 20);
	page_has_no_end(sheet.page);
	put(&sheet, "a line of more than 20 columns\nand no end");
	assert_string_equal(finish(&sheet), "a line of more than 20 columns\nand no end");
}
