/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON put together by hand is what the library would have made of the same values. */
#include "support/build.h"

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

TEST(commas_stand_between_values_only)
{
	struct json_line line = {0};

	json_line_open(&line, '{');
	json_line_key(&line, "list", "");
	json_line_open(&line, '[');
	json_line_close(&line, ']');
	json_line_key(&line, "wakeup", "_ns");
	json_line_integer(&line, 5, true);
	json_line_key(&line, "more", "");
	json_line_open(&line, '[');
	json_line_text(&line, "a");
	json_line_null(&line);
	json_line_flag(&line, true, true);
	json_line_flag(&line, false, true);
	json_line_flag(&line, true, false);
	json_line_open(&line, '{');
	json_line_close(&line, '}');
	json_line_integer(&line, 7, false);
	json_line_close(&line, ']');
	json_line_close(&line, '}');
	assert_string_equal(
		text_of(&line),
		"{\"list\":[],\"wakeup_ns\":5,\"more\":[\"a\",null,true,false,null,{},null]}");
	json_line_free(&line);
}

/* As jansson writes it, but jansson leaves DEL as it is. */
static void assert_value(struct json_line *line, json_t *value)
{
	char *expected = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	char *without = calloc(strlen(expected) + 1, strlen("\\u007F")), *to = without;

	assert_non_null(without);
	for (const char *from = expected; *from; from++)
		to += sprintf(to, *from == '\177' ? "\\u007F" : "%c", *from);
	assert_string_equal(text_of(line), without);
	free(without);
	free(expected);
	json_decref(value);
	line->length = 0;
}

TEST(numbers_are_those_of_the_library)
{
	static const uint64_t numbers[] = {
		0,         1,          9,         10,         99,         100,
		INT32_MAX, UINT32_MAX, INT64_MAX, 1ULL << 63, UINT64_MAX, 1234567890123456789ULL,
	};
	struct json_line line = {0};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		json_line_integer(&line, numbers[i], true);
		assert_value(&line, json_value_integer(numbers[i], true));
	}
	json_line_free(&line);
}

TEST(names_of_any_bytes_are_those_of_the_library)
{
	char text[RECORD_COMM_LEN] = "";
	struct json_line line = {0};
	uint64_t seed = 11;

	for (int byte = 1; byte < 256; byte++) {
		text[0] = (char)byte;
		json_line_text(&line, text);
		assert_value(&line, json_value_text(text));
	}
	for (int i = 0; i < 5000; i++) {
		size_t length = random_below(&seed, sizeof(text));

		memset(text, 0, sizeof(text));
		for (size_t k = 0; k < length; k++)
			text[k] = (char)(1 + random_below(&seed, 255));
		json_line_text(&line, text);
		assert_value(&line, json_value_text(text));
	}
	json_line_text(&line, NULL);
	assert_value(&line, json_value_text(NULL));
	json_line_free(&line);
}

TEST(a_line_may_be_long)
{
	json_t *list = json_array();
	struct json_line line = {0};

	json_line_open(&line, '[');
	for (uint64_t i = 0; i < 20000; i++) {
		json_line_integer(&line, i * i * i, true);
		json_array_append_new(list, json_value_integer(i * i * i, true));
	}
	json_line_close(&line, ']');
	assert_value(&line, list);
	json_line_free(&line);
}
