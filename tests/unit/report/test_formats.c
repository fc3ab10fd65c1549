/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of output formats. */
#include "support/build.h"

#include "report/format.h"

static void a_format_is_found_by_its_name(void **state)
{
	const struct report_format *format;
	size_t cnt = 0;

	for (; (format = report_format_at(cnt)); cnt++)
		assert_ptr_equal(report_format_find(format->name), format);
	assert_int_equal(cnt, 5);
	assert_null(report_format_find("tex"));
	assert_null(report_format_find(""));
}

static void formats_of_single_messages_want_them(void **state)
{
	assert_true(report_format_find("ndjson")->wants_messages);
	assert_true(report_format_find("csv")->wants_messages);
	assert_false(report_format_find("hgrm")->wants_messages);
	assert_false(report_format_find("json")->wants_messages);
	assert_false(report_format_find("text")->wants_messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_is_found_by_its_name),
		cmocka_unit_test(formats_of_single_messages_want_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
