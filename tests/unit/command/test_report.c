/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace report FILE`: from a whole file to a report, and errors of files. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/recorded_run.h"
#include "support/sample.h"

#include "cli/options.h"
#include "command/commands.h"
#include "model/record_decode.h"
#include "recording/recording.h"
#include "report/format.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct said said; /* the last one */

static void assert_fine(const struct said *said)
{
	assert_string_equal(said->err.text, "");
	assert_int_equal(said->status, EXIT_SUCCESS);
}

/* Expects a failure, and one line that contains the text. */
static void assert_failed(const struct said *said, const char *text)
{
	assert_int_equal(said->status, EXIT_FAILURE);
	assert_one_line_with(said->err.text, text);
}

TEST(a_whole_recording_gives_a_whole_report)
{
	struct file *file = file_new(1);

	report_file(&said, file, "text");
	assert_fine(&said);
	assert_has(said.out.text, "20 sent, 20 matched, 0 incomplete, 0 lost");
	assert_has(unwrapped(said.out.text), "almost entirely behind ipctrace-server (");
	assert_has_not(said.out.text, "breaks off");
}

TEST(every_format_is_made_of_a_recording)
{
	struct file *file = file_new(1);
	json_t *json;

	report_file(&said, file, "json");
	assert_fine(&said);
	json = parse_report(&said);
	assert_string_equal(json_string_value(json_object_get(json, "schema")),
			    "ipctrace.summary/1");
	report_file(&said, file, "ndjson");
	assert_fine(&said);
	assert_int_equal(count_lines(said.out.text), 1 + ROUNDS + 1);
}

TEST(two_runs_are_a_matrix)
{
	struct file *file = file_new(2);
	json_t *json;

	report_file(&said, file, "json");
	assert_fine(&said);
	json = parse_report(&said);
	assert_string_equal(json_string_value(json_object_get(json, "schema")), "ipctrace.sweep/1");
	assert_int_equal(json_array_size(json_object_get(json, "cells")), 2);
	report_file(&said, file, "ndjson");
	assert_int_equal(count_lines(said.out.text), 2 * (1 + ROUNDS) + 1);
}

TEST(a_report_goes_to_the_file_that_is_asked_for)
{
	struct file *file = file_new(1), *output = file_new(1);
	char text[FILE_MAX] = "";
	FILE *in;

	report_to(&said, file->path, "text", output->path);
	assert_fine(&said);
	assert_string_equal(said.out.text, "");
	in = fopen(output->path, "re");
	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	assert_has(text, "20 sent, 20 matched");
}

/* A run knows its calls. */
TEST(an_option_that_finds_calls_is_refused_for_a_run)
{
	struct file *file = file_new(1);
	const struct report_options server = {.output.format = report_format_find("json"),
					      .path = file->path,
					      .calls.server = "x"};
	const struct report_options fifo = {.output.format = report_format_find("json"),
					    .path = file->path,
					    .calls.in_turn = true};

	report_with(&said, &server);
	assert_failed(&said,
		      "--server: the calls of this recording are fixed: it is not of an attach");
	report_with(&said, &fifo);
	assert_failed(&said, "--calls: the calls of this recording are fixed");
	assert_string_equal(said.out.text, "");
}

/* As after a full disk. */
TEST(an_empty_file_is_refused_by_name)
{
	struct file *file = file_new(1);

	write_bytes(file, "", 0);
	report_file(&said, file, "text");
	assert_string_equal(said.out.text, "");
	assert_failed(&said, file->path);
}

TEST(a_file_that_is_missing_or_foreign_is_refused_by_name)
{
	struct file *file = file_new(1);

	write_bytes(file, "GIF89a and so on, and so on", 27);
	report_file(&said, file, "text");
	assert_string_equal(said.out.text, "");
	assert_failed(&said, file->path);
	assert_has(said.err.text, "not an ipctrace recording");
	report_to(&said, "/nonexistent/run.ipct", "text", NULL);
	assert_failed(&said, "/nonexistent/run.ipct");
	report_to(&said, "/", "text", NULL);
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_has(said.err.text, "Is a directory");
}

TEST(an_output_that_cannot_be_opened_is_named)
{
	struct file *file = file_new(1);

	report_to(&said, file->path, "text", "/nonexistent/out.txt");
	assert_failed(&said, "/nonexistent/out.txt");
}

TEST(a_full_disk_fails_every_format_and_is_reported_once)
{
	static const char *const formats[] = {"text", "json", "ndjson", "csv", "hgrm"};
	struct file *file = file_new(1);

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		report_to(&said, file->path, formats[i], "/dev/full");
		assert_failed(&said, "/dev/full");
		assert_has(said.err.text, "No space left on device");
	}
}

/* Names in a file can lack their NUL. */
TEST(a_name_without_an_end_stays_within_its_field)
{
	struct record_role role = make_role(CLIENT, ROLE_CLIENT, 1);
	struct record_name name = make_name(SLICE_TASK, SERVER, 0, "");
	struct tape tape = {0};
	struct file *file;
	json_t *json, *client;

	memset(role.comm, 'r', sizeof(role.comm));
	memset(name.comm, 'n', sizeof(name.comm));
	fill_tape(&tape, true);
	memcpy(tape.record[1], &role, sizeof(role));
	memcpy(tape.record[2], &name, sizeof(name));
	file = file_of(&tape, 1, true);
	report_file(&said, file, "json");
	assert_fine(&said);
	json = parse_report(&said);
	client = json_array_get(json_object_get(json, "clients"), 0);
	assert_string_equal(json_string_value(json_object_get(client, "comm")), "rrrrrrrrrrrrrrr");
	tape_free(&tape);
}

/* A list of messages does not show what is missing in it. */
TEST(messages_that_are_not_all_come_with_a_warning)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)},
				 .loss = {[LOSS_RING_FULL] = 12}};
	struct tape tape = {0};
	struct file *file;

	fill_tape(&tape, true);
	memcpy(tape.record[tape.cnt - 1], &end, sizeof(end));
	file = file_of(&tape, 1, true);
	report_file(&said, file, "ndjson");
	assert_int_equal(said.status, EXIT_SUCCESS);
	assert_one_line_with(said.err.text, "12 records were lost, and 0 of 20 messages");
	report_file(&said, file, "json");
	assert_fine(&said);
	tape_free(&tape);
}

TEST(an_untraced_recording_is_reported_by_its_stamps)
{
	struct tape tape = {0};
	struct file *file;

	fill_tape(&tape, false);
	file = file_of(&tape, 1, false);
	report_file(&said, file, "text");
	assert_fine(&said);
	assert_has(said.out.text, "20 sent, 20 matched");
	assert_has(said.out.text, "untraced");
	report_file(&said, file, "ndjson");
	assert_failed(&said, "an untraced run has no messages");
	tape_free(&tape);
}

TEST(a_recording_of_windows_has_these_and_counts_all)
{
	struct file *file = slow_file_new();
	json_t *json, *keeps;

	report_file(&said, file, "ndjson");
	assert_fine(&said);
	assert_int_equal(count_lines(said.out.text), 1 + ROUNDS + 1);
	assert_has(said.out.text, "\"slower_than_ns\":null");
	assert_has(said.out.text, "\"condition\":\"latency>13us\"");
	report_file(&said, file, "text");
	assert_fine(&said);
	assert_has(said.out.text, "20 sent, 20 matched, 0 incomplete, 0 lost");
	assert_has(unwrapped(said.out.text),
		   "keeps only the time around messages that took longer than 13 us, and the "
		   "statistics of all: 3 of 20; 1 window has 20 messages, for -f ndjson and "
		   "explain");
	report_file(&said, file, "json");
	assert_fine(&said);
	json = parse_report(&said);
	keeps = json_object_get(json, "recording_keeps");
	assert_int_equal(json_integer_value(json_object_get(keeps, "slower_than_ns")), SLOW_NS);
	assert_int_equal(json_integer_value(json_object_get(keeps, "messages")), SLOW_ROUNDS);
	assert_true(json_is_true(json_object_get(keeps, "statistics")));
	assert_string_equal(json_string_value(json_object_get(keeps, "condition")), SLOW_CONDITION);
	assert_int_equal(json_integer_value(json_object_get(keeps, "keep_ns")), KEEP_NS);
	assert_int_equal(json_integer_value(json_object_get(keeps, "windows")), 1);
	assert_int_equal(json_integer_value(json_object_get(keeps, "window_messages")), ROUNDS);
	assert_int_equal(json_array_size(json_object_get(keeps, "triggers")), SLOW_ROUNDS);
}
