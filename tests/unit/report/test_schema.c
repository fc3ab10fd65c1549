/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON Schemas in the program. */
#include "support/build.h"

#include "report/schema.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

TEST(every_name_has_a_schema_that_names_its_output)
{
	const char *name;
	size_t cnt = 0;

	for (; (name = schema_name_at(cnt)); cnt++) {
		json_error_t error;
		json_t *schema = json_loads(schema_find(name), JSON_REJECT_DUPLICATES, &error);
		char title[64];

		if (!schema)
			fail_msg("%s: line %d: %s", name, error.line, error.text);
		snprintf(title, sizeof(title), "ipctrace.%s/1", name);
		assert_string_equal(json_string_value(json_object_get(schema, "title")), title);
		assert_non_null(json_object_get(schema, "$schema"));
		json_decref(schema);
	}
	assert_int_equal(cnt, 7);
}

TEST(other_names_have_none)
{
	assert_null(schema_find(""));
	assert_null(schema_find("summar"));
	assert_null(schema_find("summary.json"));
	assert_null(schema_name_at(1000));
}
