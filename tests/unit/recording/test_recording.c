/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings as files: all records come back, and broken files are refused or cut. */
#include "support/build.h"
#include "support/capture.h"
#include "support/recording_file.h"
#include "support/same_info.h"
#include "support/sample.h"

#include "model/record_decode.h"
#include "recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_tape_in(struct recording_reader *reader, const struct tape *tape)
{
	const struct record *record;

	for (size_t i = 0; i < tape->cnt; i++) {
		record = recording__read(reader);
		assert_non_null(record);
		assert_int_equal(record_size(record), record_size(tape->record[i]));
		assert_memory_equal(record, tape->record[i], record_size(record));
	}
	assert_null(recording__read(reader));
	assert_null(recording__read(reader));
}

TEST(all_records_of_two_runs_come_back)
{
	struct recording_file *file = recording_file_new();
	struct recording_reader *reader = recording__open(file->path);
	struct run_info info, expected;

	assert_non_null(reader);
	for (uint32_t clients = 1; clients <= 2; clients++) {
		assert_int_equal(recording__next_run(reader, &info), 1);
		expected = sample_info(clients);
		assert_same_info(&info, &expected);
		assert_tape_in(reader, &file->tape);
	}
	assert_int_equal(recording__next_run(reader, &info), 0);
	assert_null(recording__read(reader));
	recording__free(reader);
}

TEST(unread_records_are_skipped)
{
	struct recording_file *file = recording_file_new();
	struct recording_reader *reader = recording__open(file->path);
	struct run_info info;

	assert_null(recording__read(reader));
	assert_int_equal(recording__next_run(reader, &info), 1);
	assert_int_equal(recording__next_run(reader, &info), 1);
	assert_int_equal(info.workload.clients, 2);
	assert_non_null(recording__read(reader));
	assert_int_equal(recording__next_run(reader, &info), 0);
	recording__free(reader);
}

/* Whatever is before it: a report of many runs goes to each of them several times. */
TEST(a_run_is_read_again_without_those_before_it)
{
	struct recording_file *file = recording_file_new();
	struct recording_reader *reader = recording__open(file->path);
	struct recording_reader *again;
	struct run_info info;

	assert_int_equal(recording__next_run(reader, &info), 1);
	assert_int_equal(recording__run_at(reader), 0);
	assert_int_equal(recording__next_run(reader, &info), 1);
	assert_true(recording__run_at(reader) > file->header_end[0]);
	again = recording__open_at(file->path, recording__run_at(reader));
	assert_non_null(again);
	assert_int_equal(recording__run_at(again), recording__run_at(reader));
	assert_tape_in(again, &file->tape);
	recording__free(again);
	recording__free(reader);
}

TEST(a_recording_starts_as_its_description_says)
{
	struct recording_file *file = recording_file_new();
	uint32_t version, text_size;

	memcpy(&version, file->bytes + 8, sizeof(version));
	memcpy(&text_size, file->bytes + 12, sizeof(text_size));
	assert_memory_equal(file->bytes, "IPCTRACE", 8);
	assert_int_equal(version, RECORDING_VERSION);
	assert_int_equal(text_size % 8, 0);
	assert_int_equal(PREAMBLE_SIZE + text_size + CHECK_SIZE, file->header_end[0]);
	assert_int_equal(file->bytes[PREAMBLE_SIZE], '{');
}

/* What a reader gets from the first `size` bytes of a file. */
static void assert_cut(const struct recording_file *file, const struct reading *reading,
		       size_t size)
{
	int runs = (size >= file->header_end[0]) + (size >= file->header_end[1]);
	bool in_first = size && size < file->header_end[0];
	bool is_cut = size && !in_first && size < file->size;

	if (reading->runs != runs ||
	    reading->records[0] != recording_file_records_before(file, 0, size) ||
	    reading->records[1] != recording_file_records_before(file, 1, size))
		fail_msg("cut at %zu: %d runs, %zu and %zu records", size, reading->runs,
			 reading->records[0], reading->records[1]);
	if (in_first)
		assert_recording_refused(reading, file, "");
	else if (is_cut && !reading->end)
		assert_one_line_with(reading->err.text, file->path);
	else if (reading->end || reading->err.text[0])
		fail_msg("cut at %zu: %d, %s", size, reading->end, reading->err.text);
}

TEST(a_file_cut_anywhere_is_readable_up_to_there)
{
	struct recording_file *file = recording_file_new();
	struct reading reading;

	for (size_t size = file->size + 1; size-- > 0;) {
		assert_int_equal(truncate(file->path, size), 0);
		read_recording(&reading, file->path);
		assert_cut(file, &reading, size);
	}
}

TEST(a_file_that_is_no_recording_is_refused_by_name)
{
	static const char *const foreign[] = {
		"x",
		"\177ELF\2\1\1",
		"{\"schema\": \"ipctrace.summary/1\"}\n",
		"ipctrace 0.1  push over uds, 5 clients x 1000 messages\n",
		"IPCTRACF and then something that is long enough for a header",
	};
	struct recording_file *file = recording_file_new();
	struct reading reading;

	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		read_recording_bytes(&reading, file, foreign[i], strlen(foreign[i]));
		assert_int_equal(reading.runs, 0);
		assert_recording_refused(&reading, file, "not an ipctrace recording");
	}
}

TEST(another_version_is_refused_by_its_number_with_a_remedy)
{
	static const uint32_t versions[] = {0, 1, 2, 4, 7, RECORDING_VERSION + 1, 77, UINT32_MAX};
	struct recording_file *file = recording_file_new();
	struct reading reading;
	char text[32], last[16];

	snprintf(last, sizeof(last), " and %d:", RECORDING_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		memcpy(file->bytes + 8, &versions[i], sizeof(versions[i]));
		snprintf(text, sizeof(text), "version %u,", versions[i]);
		read_recording_bytes(&reading, file, file->bytes, file->size);
		assert_int_equal(reading.runs, 0);
		assert_recording_refused(&reading, file, text);
		assert_has(reading.err.text,
			   "this program reads versions 3, 5, 6, 8, 9, 10, 11, 12, 13, 14");
		assert_has(reading.err.text, last);
		assert_has(reading.err.text,
			   versions[i] > RECORDING_VERSION ? "newer one" : "record it anew");
	}
}

TEST(a_header_of_impossible_size_is_refused)
{
	static const uint32_t sizes[] = {0, 1, 8, (1 << 20), (1 << 20) + 1, 1u << 31, UINT32_MAX};
	struct recording_file *file = recording_file_new();
	struct reading reading;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		memcpy(file->bytes + 12, &sizes[i], sizeof(sizes[i]));
		read_recording_bytes(&reading, file, file->bytes, file->size);
		assert_int_equal(reading.runs, 0);
		assert_recording_refused(&reading, file, "header");
	}
}

TEST(a_damaged_header_is_refused_in_one_line)
{
	struct recording_file *file = recording_file_new();
	unsigned char *bytes = malloc(file->size);
	struct reading reading;
	uint64_t seed = 1;
	int refused = 0;

	for (int i = 0; i < 3000; i++) {
		memcpy(bytes, file->bytes, file->size);
		flip_bits(bytes, 0, file->header_end[0], &seed);
		read_recording_bytes(&reading, file, bytes, file->size);
		if (reading.end)
			assert_recording_refused(&reading, file, "");
		else /* a second flip restored the bit */
			assert_memory_equal(bytes, file->bytes, file->size);
		refused += !reading.runs;
	}
	assert_in_range(refused, 2900, 3000);
	free(bytes);
}

TEST(a_full_disk_is_found_before_anything_runs)
{
	struct run_info info = sample_info(1);
	struct recording_writer *writer = recording__create("/dev/full");
	struct capture err;
	int status, again;

	assert_non_null(writer);
	capture_begin(&err, STDERR_FILENO);
	status = recording__begin_run(writer, &info);
	again = recording__begin_run(writer, &info);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(again, -ENOSPC);
	assert_one_line_with(err.text, "/dev/full");
	assert_has(err.text, "No space left on device");
	capture_begin(&err, STDERR_FILENO);
	status = recording__close(writer);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_string_equal(err.text, "");
}

/* Blocks are buffered: the error comes late, is logged once, and all later calls return it. */
TEST(a_full_disk_is_logged_once_and_fails_the_recording)
{
	struct record_watermark mark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(mark)}};
	struct recording_writer *writer = recording__create("/dev/full");
	struct capture err;
	int status = 0, after, end;

	capture_begin(&err, STDERR_FILENO);
	for (int i = 0; i < 100000 && !status; i++)
		status = recording__write(writer, &mark.head);
	after = recording__write(writer, &mark.head);
	end = recording__close(writer);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(after, -ENOSPC);
	assert_int_equal(end, -ENOSPC);
	assert_one_line_with(err.text, "/dev/full");
}

TEST(what_is_still_buffered_at_the_end_is_not_lost_silently)
{
	struct record_send send = make_send(1, 1, 0, 1, 2);
	struct recording_writer *writer = recording__create("/dev/full");
	struct capture err;
	int status;

	assert_int_equal(recording__write(writer, &send.head), 0);
	capture_begin(&err, STDERR_FILENO);
	status = recording__close(writer);
	capture_end(&err);
	assert_int_equal(status, -ENOSPC);
	assert_one_line_with(err.text, "/dev/full");
}

TEST(a_path_that_cannot_be_opened_is_named_with_the_reason)
{
	static const char path[] = "/nonexistent/folder/run.ipct";
	struct recording_writer *writer;
	struct recording_reader *reader;
	struct capture err;
	int writer_errno;

	capture_begin(&err, STDERR_FILENO);
	writer = recording__create(path);
	writer_errno = errno;
	capture_end(&err);
	assert_null(writer);
	assert_int_equal(writer_errno, ENOENT);
	assert_one_line_with(err.text, path);
	assert_has(err.text, "No such file or directory");
	capture_begin(&err, STDERR_FILENO);
	reader = recording__open(path);
	writer_errno = errno;
	capture_end(&err);
	assert_null(reader);
	assert_int_equal(writer_errno, ENOENT);
	assert_one_line_with(err.text, path);
}

TEST(nothing_to_close_is_fine)
{
	assert_int_equal(recording__close(NULL), 0);
	recording__free(NULL);
}
