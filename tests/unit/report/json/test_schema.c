/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON Schemas in the program. */
#include "support/build.h"

#include "report/json/schema.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

TEST(every_name_has_a_schema_that_names_its_output)
{
	const char *name;
	size_t cnt = 0;

	for (; (name = schema_name_at(cnt)); cnt++) {
		json_error_t error;
		char title[64], *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		json_t *schema;

		assert_int_equal(schema_write(name, out), 0);
		fclose(out);
		schema = json_loads(text, JSON_REJECT_DUPLICATES, &error);

		if (!schema)
			fail_msg("%s: line %d: %s", name, error.line, error.text);
		snprintf(title, sizeof(title), "ipctrace.%s/1", name);
		assert_string_equal(json_string_value(json_object_get(schema, "title")), title);
		assert_non_null(json_object_get(schema, "$schema"));
		json_decref(schema);
		free(text);
	}
	assert_int_equal(cnt, 7);
}

TEST(other_names_have_none)
{
	assert_false(schema_is_known(""));
	assert_false(schema_is_known("summar"));
	assert_false(schema_is_known("summary.json"));
	assert_null(schema_name_at(1000));
}
