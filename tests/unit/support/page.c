/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the text report that hold for every report. */
#include "support/page.h"

#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

char *unwrapped(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
	return text;
}

void assert_numbers_are_numbers(const char *text)
{
	static const char *const words[] = {"nan", "inf", "NaN", "(null)", "-0.0"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = text;

		while ((at = strstr(at, words[i]))) {
			bool begins = at == text || !isalpha((unsigned char)at[-1]);

			if (begins && !isalnum((unsigned char)at[strlen(words[i])]))
				fail_msg("'%s' in: %.60s", words[i],
					 at > text + 30 ? at - 30 : text);
			at++;
		}
	}
}

void assert_width(const char *text, size_t width)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		if (length > width)
			fail_msg("%zu columns: %.*s", length, (int)length, line);
		line += length + (line[length] == '\n');
	}
}

/* Removes "\033[...m". */
static void remove_colors(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\033')
			from += strcspn(from, "m");
		else
			*to++ = *from;
	}
	*to = '\0';
}

/* Whether a terminal of any width gets whole lines, and the same letters with colors as without. */
static void check_terminals(struct report_style style, const struct summary *const *run, size_t cnt)
{
	static const int widths[] = {32, 40, 60, 80, 100, 160, 220};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char *plain, *colored;

		style.columns = widths[i];
		style.color = false;
		plain = sample_show_styled("text", style, run, cnt);
		style.color = true;
		colored = sample_show_styled("text", style, run, cnt);
		assert_width(plain, (size_t)widths[i]);
		assert_numbers_are_numbers(plain);
		remove_colors(colored);
		assert_string_equal(colored, plain);
	}
}

static char *shown_styled(struct report_style style, const struct summary *const *run, size_t cnt)
{
	char *text = sample_show_styled("text", style, run, cnt);

	assert_width(text, PAGE_WIDTH);
	assert_numbers_are_numbers(text);
	check_terminals(style, run, cnt);
	return unwrapped(text);
}

char *shown(const struct summary *summary)
{
	return shown_styled((struct report_style){0}, &summary, 1);
}

char *shown_sample(uint32_t clients)
{
	return shown(sample_summary(clients));
}

char *shown_run_matrix(const struct summary *const *run, size_t cnt)
{
	return shown_styled((struct report_style){0}, run, cnt);
}

char *shown_published(const struct summary *const *run, size_t cnt)
{
	return shown_styled((struct report_style){.shows_published = true}, run, cnt);
}

void assert_shows(const struct summary *summary, const char *part)
{
	assert_has(shown(summary), part);
}

void assert_shows_not(const struct summary *summary, const char *part)
{
	assert_has_not(shown(summary), part);
}

/* "-" without a unit beyond the percentile. */
static void put_percentile(char *row, size_t size, const struct stat *stat, double percentile,
			   uint64_t count_min)
{
	size_t length = strlen(row);

	if (stat->count < count_min)
		snprintf(row + length, size - length, " -");
	else
		snprintf(row + length, size - length, " %.1f",
			 stat_percentile(stat, percentile) / 1e3);
}

void assert_stat_row(const char *text, const char *label, const struct stat *stat)
{
	char row[256];
	size_t length;

	snprintf(row, sizeof(row), " %s %.1f %.1f", label, stat_mean(stat) / 1e3,
		 stat_stddev(stat) / 1e3);
	put_percentile(row, sizeof(row), stat, 50, 1);
	put_percentile(row, sizeof(row), stat, 90, 10);
	put_percentile(row, sizeof(row), stat, 99, 100);
	put_percentile(row, sizeof(row), stat, 99.9, 1000);
	length = strlen(row);
	snprintf(row + length, sizeof(row) - length, " %.1f ", stat->max / 1e3);
	assert_has(text, row);
}
