/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the JSON report back, for the tests of its fields. */
#include "support/json_report.h"

#include "support/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_at(json_t *value, const char *path)
{
	char name[64];

	while (value && *path) {
		size_t length = strcspn(path, ".");

		assert_true(length < sizeof(name));
		snprintf(name, sizeof(name), "%.*s", (int)length, path);
		value = json_is_array(value) ? json_array_get(value, strtoul(name, NULL, 10))
					     : json_object_get(value, name);
		path += length + (path[length] == '.');
	}
	return value;
}

void assert_null_at(json_t *json, const char *path)
{
	json_t *value = json_at(json, path);

	if (!value || !json_is_null(value))
		fail_msg("%s: %s", path, value ? "not null" : "absent");
}

double json_number_at(json_t *json, const char *path)
{
	json_t *value = json_at(json, path);

	if (!json_is_number(value))
		fail_msg("%s: %s", path, value ? "not a number" : "absent");
	return json_number_value(value);
}

void assert_text_at(json_t *json, const char *path, const char *expected)
{
	json_t *value = json_at(json, path);

	if (!json_is_string(value) || strcmp(json_string_value(value), expected))
		fail_msg("%s is not '%s'", path, expected);
}

static bool is_stat(json_t *stat)
{
	static const char *const integers[] = {"count", "min", "p50", "p90", "p99", "p999", "max"};

	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		if (!json_is_integer(json_object_get(stat, integers[i])))
			return false;
	}
	return json_is_number(json_object_get(stat, "mean")) &&
	       json_is_number(json_object_get(stat, "stddev"));
}

bool json_has_type(json_t *value, char type)
{
	switch (type) {
	case 'i':
		return json_is_integer(value);
	case 'n':
		return json_is_number(value);
	case 's':
		return json_is_string(value);
	case 'o':
		return json_is_object(value);
	case 'a':
		return json_is_array(value);
	case 'b':
		return json_is_boolean(value);
	case 'S':
		return is_stat(value);
	default:
		return json_is_null(value);
	}
}

void assert_types(json_t *json, const char *const *typed, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		json_t *value = json_at(json, typed[i] + 2);

		if (!value)
			fail_msg("%s is absent", typed[i] + 2);
		if (!json_has_type(value, typed[i][0]))
			fail_msg("%s is not of type %c", typed[i] + 2, typed[i][0]);
	}
}

static void drop_json(void *json)
{
	json_decref(json);
}

json_t *json_of_test(json_t *json)
{
	return drop_after(json, drop_json);
}

json_t *json_parse(const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("line %d: %s in:\n%.500s", error.line, error.text, text);
	assert_int_equal(text[strlen(text) - 1], '\n');
	return json_of_test(json);
}

json_t *json_report(const struct summary *summary)
{
	return json_parse(sample_show_one("json", summary));
}

json_t *json_report_of_sample(uint32_t clients)
{
	return json_report(sample_summary(clients));
}

void assert_stat_at(json_t *json, const char *path, const struct stat *stat)
{
	json_t *value = json_at(json, path);

	assert_true(is_stat(value));
	assert_int_equal(json_number_at(value, "count"), stat->count);
	assert_int_equal(json_number_at(value, "min"), stat->min);
	assert_int_equal(json_number_at(value, "max"), stat->max);
	assert_int_equal(json_number_at(value, "p50"), stat_percentile(stat, 50));
	assert_int_equal(json_number_at(value, "p90"), stat_percentile(stat, 90));
	assert_int_equal(json_number_at(value, "p99"), stat_percentile(stat, 99));
	assert_int_equal(json_number_at(value, "p999"), stat_percentile(stat, 99.9));
	assert_true(fabs(json_number_at(value, "mean") - stat_mean(stat)) < 1e-6);
	assert_true(fabs(json_number_at(value, "stddev") - stat_stddev(stat)) < 1e-6);
}
