/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of output formats. */
#include "support/build.h"

#include "report/format.h"

TEST(a_format_is_found_by_its_name)
{
	const struct report_format *format;
	size_t cnt = 0;

	for (; (format = report_format_at(cnt)); cnt++)
		assert_ptr_equal(report_format_find(format->name), format);
	assert_int_equal(cnt, 8);
	assert_null(report_format_find("tex"));
	assert_null(report_format_find(""));
}

TEST(formats_of_single_messages_want_them)
{
	assert_true(report_format_find("perfetto")->wants_messages);
	assert_true(report_format_find("ndjson")->wants_messages);
	assert_true(report_format_find("csv")->wants_messages);
	assert_false(report_format_find("hgrm")->wants_messages);
	assert_false(report_format_find("json")->wants_messages);
	assert_false(report_format_find("text")->wants_messages);
	assert_false(report_format_find("html")->wants_messages);
	assert_false(report_format_find("svg")->wants_messages);
}

/* Figures need two passes over a recording, which a live run makes afterwards. */
TEST(formats_with_figures_are_made_of_recordings)
{
	const struct report_format *format;

	for (size_t i = 0; (format = report_format_at(i)); i++) {
		if (format->illustrate)
			assert_true(format->wants_recording);
		else
			assert_non_null(format->summary);
	}
}
