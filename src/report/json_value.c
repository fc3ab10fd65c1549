/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds JSON values, for example from statistics. Writes JSON values as ASCII. */
#include "report/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEL '\177'

struct dump {
	json_dump_callback_t put;
	void *ctx;
};

/* JSON_ENSURE_ASCII leaves DEL as it is. DEL can only be within a string. */
static int put_without_del(const char *text, size_t size, void *ctx)
{
	const struct dump *dump = ctx;
	const char *del;

	while ((del = memchr(text, DEL, size))) {
		size_t before = (size_t)(del - text);

		if (dump->put(text, before, dump->ctx) || dump->put("\\u007F", 6, dump->ctx))
			return -1;
		text += before + 1;
		size -= before + 1;
	}
	return dump->put(text, size, dump->ctx);
}

int json_value_dump(const json_t *value, size_t flags, json_dump_callback_t put, void *ctx)
{
	struct dump dump = {.put = put, .ctx = ctx};

	return json_dump_callback(value, put_without_del, &dump, flags | JSON_ENSURE_ASCII);
}

static int put_to_stream(const char *text, size_t size, void *ctx)
{
	return !size || fwrite(text, size, 1, ctx) == 1 ? 0 : -1;
}

int json_value_write(const json_t *value, size_t flags, FILE *out)
{
	if (!json_value_dump(value, flags, put_to_stream, out))
		return 0;
	return ferror(out) && errno ? -errno : -EIO;
}

json_t *json_value_text(const char *text)
{
	char ascii[512];
	json_t *value;

	if (!text || !text[0])
		return json_null();
	value = json_string(text);
	if (value)
		return value;
	snprintf(ascii, sizeof(ascii), "%s", text);
	for (char *c = ascii; *c; c++) {
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	}
	return json_string(ascii);
}

json_t *json_value_real(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_int_t json_value_int(uint64_t number)
{
	return number < INT64_MAX ? (json_int_t)number : INT64_MAX;
}

json_t *json_value_integer(uint64_t number, bool known)
{
	return known ? json_integer(json_value_int(number)) : json_null();
}

json_t *json_value_whole(json_t *value, int error)
{
	if (!error)
		return value;
	json_decref(value);
	return NULL;
}

json_t *json_value_stat(const struct stat *stat)
{
	bool known = stat->count > 0;
	uint64_t p50 = stat_percentile(stat, 50);
	uint64_t p90 = stat_percentile(stat, 90);
	uint64_t p99 = stat_percentile(stat, 99);
	uint64_t p999 = stat_percentile(stat, 99.9);

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "count",
			 json_value_int(stat->count), "min", json_value_integer(stat->min, known),
			 "mean", known ? json_value_real(stat_mean(stat)) : json_null(), "stddev",
			 known ? json_value_real(stat_stddev(stat)) : json_null(), "p50",
			 json_value_integer(p50, known), "p90", json_value_integer(p90, known),
			 "p99", json_value_integer(p99, known), "p999",
			 json_value_integer(p999, known), "max",
			 json_value_integer(stat->max, known));
}
