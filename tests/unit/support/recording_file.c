/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of two runs on disk, which tests cut, damage and read. */
#include "support/recording_file.h"

#include "support/build.h"
#include "support/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

size_t recording_file_load(const char *path, void *bytes)
{
	FILE *file = fopen(path, "re");
	size_t size;

	assert_non_null(file);
	size = fread(bytes, 1, RECORDING_FILE_MAX, file);
	assert_true(size < RECORDING_FILE_MAX);
	fclose(file);
	return size;
}

/* Every type of record once, the longest RECEIVE among them. */
static void fill_tape(struct tape *tape)
{
	uint64_t change[CHANGES_MAX];
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(struct record_left)},
		.client = 1};
	struct record_channel channel = {
		.head = {.type = RECORD_CHANNEL, .words = RECORD_WORDS(struct record_channel)},
		.channel = 7};
	struct record_name name = make_name(SLICE_TASK, 42, 0, "worker");

	for (size_t i = 0; i < CHANGES_MAX; i++)
		change[i] = SLEEP(1000 + i, 0);
	put_role(tape, 42, ROLE_CLIENT, 1);
	tape_add(tape, &channel);
	put_watermark(tape, 800);
	tape_add(tape, &name);
	put_send(tape, 41, 7, 0, 1000, 1100);
	put_receive(tape, 42, 7, 0, 900, 1300, 0, change, CHANGES_MAX);
	put_receive(tape, 42, 7, 1, 1400, 1500, CHANGES_MAX, NO_CHANGES);
	put_changes(tape, 42, 2000, CHANGES_MAX, change, 3);
	put_slice(tape, make_task(0, 0, 41, 1200));
	put_tick(tape, 0, 950, 1);
	put_stamp(tape, 1, 0, 950, 1350);
	tape_add(tape, &left);
	put_watermark(tape, 5000);
	put_end(tape);
}

static void write_run(struct recording_file *file, struct recording_writer *writer, int run)
{
	const struct tape *tape = &file->tape;
	struct run_info info = sample_info(run + 1);

	assert_int_equal(recording__begin_run(writer, &info), 0);
	for (size_t i = 0; i < tape->cnt; i++)
		assert_int_equal(recording__write(writer, tape->record[i]), 0);
	file->record_cnt[run] = tape->cnt;
}

/* Finds where the parts of the run that begins at `at` end. Returns where the run ends. */
static size_t find_parts(struct recording_file *file, int run, size_t at)
{
	struct block_head block;
	uint32_t text_size;
	size_t i = 0;

	memcpy(&text_size, file->bytes + at + 12, sizeof(text_size));
	at += PREAMBLE_SIZE + text_size + CHECK_SIZE;
	file->header_end[run] = at;
	while (i < file->record_cnt[run]) {
		memcpy(&block, file->bytes + at, sizeof(block));
		at += sizeof(block) + block.stored;
		for (size_t end = i + block.records; i < end; i++)
			file->record_end[run][i] = at;
	}
	return at;
}

static void drop(void *made)
{
	struct recording_file *file = made;

	unlink(file->path);
	tape_free(&file->tape);
	free(file);
}

struct recording_file *recording_file_new(void)
{
	struct recording_file *file = drop_after(calloc(1, sizeof(*file)), drop);
	struct recording_writer *writer;
	int fd;

	strcpy(file->path, "/tmp/ipctrace-test-XXXXXX");
	fd = mkstemp(file->path);
	assert_true(fd >= 0);
	close(fd);
	fill_tape(&file->tape);
	writer = recording__create(file->path);
	assert_non_null(writer);
	for (int run = 0; run < 2; run++)
		write_run(file, writer, run);
	assert_int_equal(recording__close(writer), 0);
	file->size = recording_file_load(file->path, file->bytes);
	assert_int_equal(find_parts(file, 1, find_parts(file, 0, 0)) + END_MARK_SIZE, file->size);
	return file;
}

void read_recording(struct reading *reading, const char *path)
{
	struct recording_reader *reader;
	const struct record *record;

	reading->runs = reading->end = 0;
	memset(reading->records, 0, sizeof(reading->records));
	capture_begin(&reading->err, STDERR_FILENO);
	reader = recording__open(path);
	while (reader && reading->runs < 8 &&
	       (reading->end = recording__next_run(reader, &reading->info)) > 0) {
		while ((record = recording__read(reader)))
			reading->records[reading->runs] += record->words > 0;
		reading->runs++;
	}
	recording__free(reader);
	capture_end(&reading->err);
	assert_non_null(reader);
}

void read_recording_bytes(struct reading *reading, const struct recording_file *file,
			  const void *bytes, size_t size)
{
	write_file(file->path, bytes, size);
	read_recording(reading, file->path);
}

void assert_recording_refused(const struct reading *reading, const struct recording_file *file,
			      const char *reason)
{
	assert_int_equal(reading->end, -EINVAL);
	assert_one_line_with(reading->err.text, file->path);
	assert_has(reading->err.text, reason);
}

size_t recording_file_records_before(const struct recording_file *file, int run, size_t end)
{
	size_t cnt = 0;

	while (cnt < file->record_cnt[run] && file->record_end[run][cnt] <= end)
		cnt++;
	return cnt;
}

void flip_bits(unsigned char *bytes, size_t from, size_t to, uint64_t *seed)
{
	size_t cnt = 1 + random_below(seed, 4);

	while (cnt--)
		bytes[from + random_below(seed, to - from)] ^= 1 << random_below(seed, 8);
}
