/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes reports for --format csv: the names of the columns, and then one row per message, with the
 * fields of ndjson. Calls and results are not shown: they have other columns.
 *
 * Readers of CSV know no comments and no second header. So what holds for many rows is in each of
 * them: the schema, and the number of the run.
 *
 * The rows consist of characters that need no quotes (RFC 4180). What else a foreign name has is
 * escaped as in JSON, so that it is inert and can be read back exactly. A spreadsheet takes text
 * for a formula by its first character, so that is escaped, too.
 */
#include "report/digits.h"
#include "report/format.h"
#include "report/json_value.h"
#include "report/message_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "ipctrace.messages/1"

/* Text that begins with one of these is a formula. */
#define FORMULA_STARTS "=+-@"

/* What would end a cell (the semicolon in many countries), or an entry of a list in it. */
#define ENDS_CELL ",;\""

struct report {
	FILE *out;
	uint64_t runs, summaries; /* runs that began, and those that ended */
	bool truncated;           /* the recording of a run lacks its end */
	struct run_info info;     /* of the current run */
	bool failed;              /* no memory for a name */
};

static struct report *csv_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (report)
		report->out = style->out;
	return report;
}

static void csv_put(const struct report *report, const char *text)
{
	fputs_unlocked(text, report->out);
}

/* As JSON: the largest number is INT64_MAX. */
static void csv_put_number(const struct report *report, uint64_t number)
{
	char digits[DIGITS_MAX], *end = digits + DIGITS_MAX, *begin;

	begin = digits_before(end, json_value_int(number));
	fwrite_unlocked(begin, end - begin, 1, report->out);
}

static bool csv_is_plain(const char *text)
{
	if (strchr(FORMULA_STARTS, text[0]))
		return false;
	for (; *text; text++) {
		if (*text < ' ' || *text > '~' || *text == '\\' || strchr(ENDS_CELL, *text))
			return false;
	}
	return true;
}

static void put_escape(const struct report *report, char c)
{
	fprintf(report->out, "\\u%04x", (unsigned int)c);
}

/* `json` is what stands between the quotes of JSON. */
static void csv_put_escaped(const struct report *report, const char *json)
{
	if (json[0] && strchr(FORMULA_STARTS, json[0]))
		put_escape(report, *json++);
	for (; *json; json++) {
		if (json[0] == '\\' && json[1] == '"')
			json++;
		if (strchr(ENDS_CELL, *json)) {
			put_escape(report, *json);
			continue;
		}
		putc_unlocked(*json, report->out);
		if (*json == '\\')
			putc_unlocked(*++json, report->out);
	}
}

/* Slow, but names that need escapes are rare. */
static bool put_foreign(const struct report *report, const char *text)
{
	json_t *value = json_value_text(text);
	char *json = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&json, &size);
	bool is_whole =
		value && memory && !json_value_write(value, JSON_COMPACT | JSON_ENCODE_ANY, memory);

	if (memory && fclose(memory))
		is_whole = false;
	if (is_whole) {
		json[size - 1] = '\0';
		csv_put_escaped(report, json + 1);
	}
	free(json);
	json_decref(value);
	return is_whole;
}

static void csv_on_name(void *out, const char *name)
{
	const struct report *report = out;

	(void)name;
	putc_unlocked(',', report->out);
}

static void csv_on_null(void *out)
{
	(void)out;
}

static void csv_on_integer(void *out, uint64_t number)
{
	csv_put_number(out, number);
}

static void csv_on_text(void *out, const char *text)
{
	struct report *report = out;

	if (csv_is_plain(text))
		csv_put(report, text);
	else
		report->failed |= !put_foreign(report, text);
}

static void csv_on_flag(void *out, bool flag)
{
	csv_put(out, flag ? "true" : "false");
}

static void csv_on_words(void *out, const char *const *word, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		csv_put(out, i ? ";" : "");
		csv_put(out, word[i]);
	}
}

static const struct field_writer row_writer;

/* class:comm:tid=ns;... A name may have colons: the last one is before the tid. */
static void csv_on_entries(void *out, const struct members *of, const void *entry, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		csv_put(out, i ? ";" : "");
		for (size_t k = 0; k < of->cnt; k++) {
			csv_put(out, !k ? "" : k + 1 == of->cnt ? "=" : ":");
			field_write(&of->row[k], NULL, (const char *)entry + i * of->size,
				    &row_writer, out);
		}
	}
}

static const struct field_writer row_writer = {
	.name = csv_on_name,
	.null = csv_on_null,
	.integer = csv_on_integer,
	.text = csv_on_text,
	.flag = csv_on_flag,
	.words = csv_on_words,
	.entries = csv_on_entries,
};

static int written(const struct report *report)
{
	if (report->failed)
		return -ENOMEM;
	return ferror_unlocked(report->out) ? (-errno ?: -EIO) : 0;
}

static int csv_run(struct report *report, const struct run_info *info)
{
	report->info = *info;
	if (!report->runs++) {
		csv_put(report, "schema,run");
		for (size_t i = 0; i < message_members.cnt; i++)
			fprintf(report->out, ",%s", message_members.row[i].name);
		csv_put(report, "\n");
	}
	return written(report);
}

static int csv_message(struct report *report, const struct message *message)
{
	csv_put(report, SCHEMA ",");
	csv_put_number(report, report->runs);
	fields_write(&message_members, &report->info, message, &row_writer, report);
	csv_put(report, "\n");
	return written(report);
}

/* The statistics are in -f json. */
static int csv_summary(struct report *report, const struct summary *summary)
{
	report->summaries++;
	report->truncated |= summary->integrity.truncated;
	return report_flush(report->out);
}

/* Only another row can say that rows are missing. A run that failed is not complete, either. */
static int csv_end(struct report *report, bool is_cut)
{
	bool truncated = is_cut || report->truncated || report->summaries < report->runs;
	int error;

	if (report->runs && truncated && !ferror_unlocked(report->out)) {
		csv_put(report, SCHEMA ",");
		for (size_t i = 0; i < message_members.cnt; i++)
			csv_put(report,
				strcmp(message_members.row[i].name, "kind") ? "," : ",truncated");
		csv_put(report, "\n");
	}
	error = report_flush(report->out);
	free(report);
	return error;
}

const struct report_format report_csv = {
	.name = "csv",
	.meaning = "one row per message, for spreadsheets, R, pandas and sqlite",
	.wants_messages = true,
	.begin = csv_begin,
	.run = csv_run,
	.message = csv_message,
	.summary = csv_summary,
	.end = csv_end,
};
