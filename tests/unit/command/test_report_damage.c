/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `ipctrace report FILE` of a cut or damaged recording: the rest is shown, and marked as
 * incomplete.
 */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/recorded_run.h"
#include "support/sample.h"

#include "cli/options.h"
#include "command/commands.h"
#include "model/record_decode.h"
#include "recording/recording.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const formats[] = {"text", "json", "ndjson", "csv"};

/* Every output must say that it is not complete. */
static void assert_marked(struct said *said, const char *format)
{
	char *text = said->out.text;

	if (!text[0])
		return;
	if (!strcmp(format, "ndjson"))
		assert_has(text, "{\"end\":\"ipctrace.messages/1\",\"truncated\":true,");
	else if (!strcmp(format, "csv"))
		assert_has(text, ",truncated,"); /* as its kind */
	else if (!strcmp(format, "json"))
		assert_has(text, "\"truncated\": true");
	else
		assert_has(unwrapped(text), "breaks off");
}

/* Cuts the file at each of these sizes and reports it in every format. */
static void assert_says_cut(struct file *file, size_t from, size_t step)
{
	struct said said;

	for (size_t size = from; size < file->size; size += step) {
		assert_int_equal(truncate(file->path, size), 0);
		for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
			report_file(&said, file, formats[i]);
			assert_int_equal(said.status, EXIT_FAILURE);
			assert_one_line_with(said.err.text, file->path);
			assert_marked(&said, formats[i]);
		}
		write_bytes(file, file->bytes, file->size);
	}
}

TEST(a_cut_recording_is_reported_and_said_to_be_cut)
{
	struct file *file = file_new(1);

	assert_says_cut(file, file->header_size, 61);
	assert_says_cut(file, file->size - END_MARK - 2, 1);
}

TEST(so_is_a_cut_matrix_even_between_its_runs)
{
	struct file *file = file_new(2);

	assert_says_cut(file, file->header_size, 211);
	assert_says_cut(file, file->size - END_MARK - 2, 1);
	assert_int_equal(truncate(file->path, file->run_size), 0);
	file->size = file->run_size + 1;
	assert_says_cut(file, file->run_size, 1);
}

TEST(so_is_a_recording_of_windows)
{
	struct file *file = slow_file_new();

	assert_says_cut(file, file->header_size, 61);
}

/* A run in the middle is missing: the others are whole, but not all. */
TEST(a_matrix_that_lacks_a_run_is_said_to_be_cut)
{
	struct file *file = file_new(2);
	struct said said;

	write_bytes(file, file->bytes + file->run_size, file->size - file->run_size);
	report_file(&said, file, "ndjson");
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_marked(&said, "ndjson");
}

/* The disk was full when the second run began. The first run is still reported. */
TEST(a_matrix_cut_in_a_header_is_reported_up_to_there_and_says_so)
{
	static const size_t offsets[] = {1, 8, 15, 16, 17, 1000};
	struct file *file = file_new(2);
	struct said said;

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		assert_int_equal(truncate(file->path, file->run_size + offsets[i]), 0);
		report_file(&said, file, "text");
		assert_int_equal(said.status, EXIT_FAILURE);
		assert_has(said.out.text, "20 sent, 20 matched");
		assert_one_line_with(said.err.text, file->path);
		write_bytes(file, file->bytes, file->size);
	}
}

/* The summary comes last. Without it there are no figures, but the messages of the windows are. */
TEST(a_cut_recording_of_windows_says_what_is_missing)
{
	struct file *file = slow_file_new();
	struct said said;
	size_t most = 0;

	for (size_t size = file->header_size; size < file->run_size; size += 31) {
		assert_int_equal(truncate(file->path, size), 0);
		report_file(&said, file, "text");
		assert_int_equal(said.status, EXIT_FAILURE);
		assert_has(unwrapped(said.out.text), "It breaks off before");
		assert_has_not(said.out.text, "0 sent");
		report_file(&said, file, "json");
		assert_has(said.out.text, "\"statistics\": false");
		report_file(&said, file, "ndjson");
		if (count_lines(said.out.text) > most)
			most = count_lines(said.out.text);
		write_bytes(file, file->bytes, file->size);
	}
	assert_int_equal(most, 1 + ROUNDS + 1);
}

/* The readable part is shown and marked with the reason, and JSON stays valid. */
static void report_damaged(struct file *file, uint64_t *seed, const char *format)
{
	unsigned char *bytes = malloc(file->size);
	struct said said;
	bool is_whole;

	assert_non_null(bytes);
	memcpy(bytes, file->bytes, file->size);
	for (uint64_t n = 1 + random_below(seed, 40); n; n--)
		bytes[random_below(seed, file->size)] ^= 1 << random_below(seed, 8);
	is_whole =
		!memcmp(bytes, file->bytes, file->size); /* two flips of the same bit cancel out */
	write_bytes(file, bytes, file->size);
	free(bytes);
	report_file(&said, file, format);
	if (!strcmp(format, "json") && said.out.text[0])
		parse_report(&said);
	if (is_whole)
		return;
	assert_int_equal(said.status, EXIT_FAILURE);
	assert_true(said.err.text[0]);
	assert_marked(&said, format);
}

TEST(a_damaged_recording_never_breaks_the_report)
{
	uint64_t seed = 3;

	for (int traced = 0; traced < 2; traced++) {
		struct tape tape = {0};
		struct file *file;

		fill_tape(&tape, traced);
		file = file_of(&tape, 2, traced);
		tape_free(&tape);
		for (int i = 0; i < 600; i++)
			report_damaged(file, &seed, formats[i % 3]);
	}
}

TEST(nor_does_a_damaged_one_of_windows)
{
	struct file *file = slow_file_new();
	uint64_t seed = 5;

	for (int i = 0; i < 300; i++)
		report_damaged(file, &seed, formats[i % 3]);
}
