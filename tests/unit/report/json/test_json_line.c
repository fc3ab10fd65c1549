/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON put together by hand is what the library would have made of the same values. */
#include "support/build.h"
#include "support/json_report.h"

#include "report/json/json_line.h"
#include "report/json_value.h"

#include <stdlib.h>
#include <string.h>

/* The text so far, terminated; valid until the next call. */
static const char *text_of(const struct json_line *line)
{
	static char text[1 << 20];

	assert_false(line->failed);
	assert_true(line->length < sizeof(text));
	memcpy(text, line->text, line->length);
	text[line->length] = '\0';
	return text;
}

struct inner {
	uint64_t number;
	char text[RECORD_COMM_LEN];
};

static const struct member inner_rows[] = {
	{NUMBER, AT(inner, number), "number"},
	{TEXT, AT(inner, text), "text"},
};
static MEMBERS(inner);

struct outer {
	const struct inner *list;
	uint32_t cnt;
	bool is_known, flag;
	uint32_t number;
};

static const struct member outer_rows[] = {
	{ENTRIES, AT(outer, list), "list", CNT_AT(outer, cnt), .of = &inner_members},
	{NS, AT(outer, number), "wakeup_ns", IF(outer, is_known)},
	{FLAG, AT(outer, is_known), "known"},
	{FLAG, AT(outer, flag), "flag"},
	{WORD, AT(outer, number), "word", WORDS("none", "one")},
};
static MEMBERS(outer);

TEST(commas_stand_between_values_only)
{
	const struct inner list[] = {{5, "a"}, {6, ""}};
	struct outer outer = {.list = list, .flag = true, .number = 1};
	struct json_line line = {0};

	json_line_put(&line, &outer_members, NULL, &outer);
	assert_string_equal(text_of(&line),
			    "{\"list\":[],\"wakeup_ns\":null,\"known\":false,\"flag\":true,"
			    "\"word\":\"one\"}");
	outer = (struct outer){.list = list, .cnt = 2, .is_known = true, .number = 2};
	json_line_put(&line, &outer_members, NULL, &outer);
	assert_string_equal(text_of(&line),
			    "{\"list\":[{\"number\":5,\"text\":\"a\"},{\"number\":6,"
			    "\"text\":null}],\"wakeup_ns\":2,\"known\":true,\"flag\":false,"
			    "\"word\":null}");
	json_line_free(&line);
}

/* As jansson writes it, but jansson leaves DEL as it is. */
static void assert_inner(struct json_line *line, const struct inner *inner)
{
	json_t *value = json_pack("{s:o, s:o}", "number", json_value_integer(inner->number, true),
				  "text", json_value_text(inner->text));
	char *expected = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
	char *without = calloc(strlen(expected) + 1, strlen("\\u007F")), *to = without;

	assert_non_null(without);
	for (const char *from = expected; *from; from++)
		to += sprintf(to, *from == '\177' ? "\\u007F" : "%c", *from);
	json_line_put(line, &inner_members, NULL, inner);
	assert_string_equal(text_of(line), without);
	free(without);
	free(expected);
	json_decref(value);
}

TEST(numbers_are_those_of_the_library)
{
	static const uint64_t numbers[] = {
		0,         1,          9,         10,         99,         100,
		INT32_MAX, UINT32_MAX, INT64_MAX, 1ULL << 63, UINT64_MAX, 1234567890123456789ULL,
	};
	struct json_line line = {0};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_inner(&line, &(struct inner){.number = numbers[i]});
	json_line_free(&line);
}

TEST(names_of_any_bytes_are_those_of_the_library)
{
	struct json_line line = {0};
	uint64_t seed = 11;

	for (int byte = 1; byte < 256; byte++)
		assert_inner(&line, &(struct inner){.text = {(char)byte}});
	for (int i = 0; i < 5000; i++) {
		size_t length = random_below(&seed, RECORD_COMM_LEN);
		struct inner inner = {0};

		for (size_t k = 0; k < length; k++)
			inner.text[k] = (char)(1 + random_below(&seed, 255));
		assert_inner(&line, &inner);
	}
	json_line_free(&line);
}

TEST(a_line_may_be_long)
{
	static struct inner list[20000];
	const struct outer outer = {.list = list, .cnt = ARRAY_SIZE(list)};
	struct json_line line = {0};
	json_t *json;

	for (uint64_t i = 0; i < ARRAY_SIZE(list); i++)
		list[i].number = i * i * i;
	json_line_put(&line, &outer_members, NULL, &outer);
	json = json_loads(text_of(&line), 0, NULL);
	assert_int_equal(json_array_size(json_object_get(json, "list")), ARRAY_SIZE(list));
	assert_int_equal(json_number_at(json, "list.19999.number"), 19999ULL * 19999 * 19999);
	json_decref(json);
	json_line_free(&line);
}
