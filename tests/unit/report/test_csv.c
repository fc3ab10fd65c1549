/* SPDX-License-Identifier: BSD-2-Clause */
/* --format csv: a row per message with the fields of ndjson, and names that stay inert. */
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include "bpf/record.h"
#include "report/message_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64

/* A row, cut at its commas. */
struct row {
	char text[2048];
	const char *cell[COLUMNS_MAX];
	size_t cnt;
};

static struct report *begin(char **text, size_t *size, FILE **out)
{
	const struct report_format *format = report_format_find("csv");
	struct report *report;

	*out = open_memstream(text, size);
	assert_non_null(*out);
	report = format->begin(&(struct report_style){.out = *out});
	assert_non_null(report);
	return report;
}

/* The report of `runs` runs with this message each. */
static char *show(const struct run_info *info, const struct message *message, int runs)
{
	const struct report_format *format = report_format_find("csv");
	struct summary summary = {.info = *info};
	char *text = NULL;
	size_t size;
	FILE *out;
	struct report *report = begin(&text, &size, &out);

	for (int i = 0; i < runs; i++) {
		assert_int_equal(format->run(report, info), 0);
		if (message)
			assert_int_equal(format->message(report, message), 0);
		assert_int_equal(format->summary(report, &summary), 0);
	}
	assert_int_equal(format->end(report, false), 0);
	fclose(out);
	return drop_after(text, free);
}

/* Line i, from 0. */
static void cut_row(const char *text, size_t i, struct row *row)
{
	char *rest = row->text;

	while (i--)
		text = strchr(text, '\n') + 1;
	snprintf(row->text, sizeof(row->text), "%.*s", (int)strcspn(text, "\n"), text);
	for (row->cnt = 0; rest && row->cnt < COLUMNS_MAX;)
		row->cell[row->cnt++] = strsep(&rest, ",");
}

static void show_row(const struct run_info *info, const struct message *message, struct row *row)
{
	char *text = show(info, message, 1);

	assert_int_equal(count_lines(text), 2);
	cut_row(text, 1, row);
}

/* The cell of a column, by the names in the first line. */
static const char *cell_of(const struct row *row, const char *name)
{
	static struct row names;
	struct run_info info = sample_info(1);
	char *text = show(&info, NULL, 1);

	cut_row(text, 0, &names);
	assert_int_equal(row->cnt, names.cnt);
	for (size_t i = 0; i < names.cnt; i++) {
		if (!strcmp(names.cell[i], name))
			return row->cell[i];
	}
	fail_msg("%s: no such column", name);
	return NULL;
}

/* What a test begins with. */
static struct run_info info;
static struct message message;

static int setup(void **state)
{
	info = sample_info(1);
	message = sample_message(1, 0);
	return 0;
}

EACH_TEST(setup, NULL)

TEST(the_first_row_names_the_schema_the_run_and_all_fields)
{
	struct run_info info = sample_info(1);
	char expected[2048], *text = show(&info, NULL, 1);
	FILE *out = fmemopen(expected, sizeof(expected), "w");

	fputs("schema,run", out);
	for (size_t i = 0; i < message_members.cnt; i++)
		fprintf(out, ",%s", message_members.row[i].name);
	fputc('\n', out);
	fclose(out);
	assert_string_equal(text, expected);
}

TEST(the_values_are_those_of_the_message)
{
	struct run_info info = sample_info(2);
	struct message message = sample_message(2, 7);
	struct row row;
	char number[32];

	show_row(&info, &message, &row);
	assert_string_equal(cell_of(&row, "schema"), "ipctrace.messages/1");
	assert_string_equal(cell_of(&row, "run"), "1");
	assert_string_equal(cell_of(&row, "transport"), "uds");
	assert_string_equal(cell_of(&row, "seq"), "7");
	assert_string_equal(cell_of(&row, "client"), "2");
	assert_string_equal(cell_of(&row, "receiver_comm"), "ipctrace-client");
	assert_string_equal(cell_of(&row, "to_server"), "false");
	assert_string_equal(cell_of(&row, "kind"), "message");
	snprintf(number, sizeof(number), "%llu", (unsigned long long)message.latency_ns);
	assert_string_equal(cell_of(&row, "latency_ns"), number);
}

/* Only forged recordings have such numbers. JSON has none above INT64_MAX either. */
TEST(the_largest_number_is_that_of_json)
{
	static const uint64_t numbers[] = {INT64_MAX, INT64_MAX + 1ULL, UINT64_MAX};
	struct row row;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		message.latency_ns = numbers[i];
		show_row(&info, &message, &row);
		assert_string_equal(cell_of(&row, "latency_ns"), "9223372036854775807");
	}
}

TEST(what_is_not_known_is_an_empty_cell)
{
	struct row row;

	message.has_round = message.has_stamp = message.shows_switch = false;
	message.sender.comm[0] = '\0';
	show_row(&info, &message, &row);
	assert_string_equal(cell_of(&row, "round"), "");
	assert_string_equal(cell_of(&row, "stamp_ns"), "");
	assert_string_equal(cell_of(&row, "switch_ns"), "");
	assert_string_equal(cell_of(&row, "sender_comm"), "");
	assert_string_equal(cell_of(&row, "to_server"), "");
	assert_string_equal(cell_of(&row, "blocked_on"), "");
}

TEST(blame_has_class_name_thread_and_time)
{
	struct blame blame[] = {
		{.class = BLAME_KTHREAD, .tid = 9, .ns = 70, .comm = "kworker/0:1H"},
		{.class = BLAME_IDLE, .ns = 5},
		{.class = BLAME_TASK, .tid = 4711, .ns = 1, .comm = "=a;b"},
	};
	struct row row;

	message.blame = blame;
	message.blame_cnt = 3;
	show_row(&info, &message, &row);
	assert_string_equal(cell_of(&row, "blame"),
			    "kthread:kworker/0:1H:9=70;idle::0=5;task:\\u003da\\u003bb:4711=1");
	message.blame_cnt = 0;
	show_row(&info, &message, &row);
	assert_string_equal(cell_of(&row, "blame"), "");
}

TEST(what_a_receiver_slept_in_is_known_in_an_attach)
{
	struct segment segment[] = {
		{.from_ns = 10, .to_ns = 30, .component = COMPONENT_BLOCKED, .cpu = 35},
		{.from_ns = 30, .to_ns = 100, .component = COMPONENT_BLOCKED, .cpu = CALL_OUTSIDE},
	};
	struct run_info info = {.mode = MODE_ATTACH, .traced = true, .host.arch = "x86_64"};
	struct message message = sample_message(1, 0);
	struct row row;

	message.segment = segment;
	message.segment_cnt = 2;
	show_row(&info, &message, &row);
	assert_string_equal(cell_of(&row, "blocked_on"), "no call=70;nanosleep=20");
}

TEST(parts_that_are_missing_are_listed)
{
	struct row row;

	message.unseen_wakeup = message.unseen_switch = true;
	show_row(&info, &message, &row);
	assert_string_equal(cell_of(&row, "unseen"), "runqueue;switch");
}

TEST(runs_have_numbers_and_the_columns_one_row)
{
	char *text = show(&info, &message, 3);
	struct row row;

	assert_int_equal(count_lines(text), 4);
	cut_row(text, 3, &row);
	assert_string_equal(cell_of(&row, "run"), "3");
}

TEST(foreign_names_stay_within_their_cell)
{
	static const struct {
		const char *comm;
		const char *cell;
	} names[] = {
		{"redis-server", "redis-server"},
		{"a b'<script>", "a b'<script>"},
		{"a,b", "a\\u002cb"},
		{"a;b", "a\\u003bb"},
		{"a\"b", "a\\u0022b"},
		{"\"", "\\u0022"},
		{"a\\b", "a\\\\b"},
		{"\\\"", "\\\\\\u0022"},
		{"a\nb\r", "a\\nb\\r"},
		{"\tx", "\\tx"},
		{"\033[2J", "\\u001B[2J"},
		{"\177", "\\u007F"},
		{"=cmd|' /C x'!", "\\u003dcmd|' /C x'!"},
		{"+1", "\\u002b1"},
		{"-1", "\\u002d1"},
		{"@x", "\\u0040x"},
		{"=,", "\\u003d\\u002c"},
		{"x=+-@", "x=+-@"},
		{"\303\251", "\\u00E9"},
		{"\377\376x", "??x"},
		{"=\377", "\\u003d?"},
	};
	struct row row;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		memset(message.sender.comm, 0, sizeof(message.sender.comm));
		strncpy(message.sender.comm, names[i].comm, sizeof(message.sender.comm) - 1);
		show_row(&info, &message, &row);
		assert_string_equal(cell_of(&row, "sender_comm"), names[i].cell);
		assert_null(strpbrk(row.text, "\"\r\033"));
	}
}

TEST(a_recording_that_breaks_off_has_a_last_row)
{
	const struct report_format *format = report_format_find("csv");
	struct run_info info = sample_info(1);
	struct summary summary = {.info = info};
	struct row row;

	for (int i = 0; i < 4; i++) {
		char *text = NULL;
		size_t size;
		FILE *out;
		struct report *report = begin(&text, &size, &out);

		summary.integrity.truncated = i == 1;
		assert_int_equal(format->run(report, &info), 0);
		if (i != 2)
			assert_int_equal(format->summary(report, &summary), 0);
		assert_int_equal(format->end(report, i == 3), 0);
		fclose(out);
		assert_int_equal(count_lines(text), i ? 2 : 1);
		if (i) {
			cut_row(text, 1, &row);
			assert_string_equal(cell_of(&row, "kind"), "truncated");
			assert_string_equal(cell_of(&row, "latency_ns"), "");
		}
		free(text);
	}
}

TEST(a_full_disk_is_an_error)
{
	const struct report_format *format = report_format_find("csv");
	struct report_style style = {.out = fopen("/dev/full", "w")};
	struct report *report = format->begin(&style);
	int err = format->run(report, &info);

	for (int i = 0; i < 10000 && !err; i++)
		err = format->message(report, &message);
	assert_int_equal(err, -ENOSPC);
	assert_true(format->end(report, false) < 0);
	fclose(style.out);
}
