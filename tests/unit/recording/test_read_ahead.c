/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading ahead returns all records in their order, and stopping it never blocks. */
#include "support/build.h"
#include "support/sample.h"

#include "recording/read_ahead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 500000 }; /* several blocks, and many times the size of the ring */

static char path[64];

static struct record_send nth(uint64_t i)
{
	return make_send(40 + i % 3, 7, i, 1000 + 10 * i, 1005 + 10 * i);
}

/* A run with this many sends, and a run without any. */
static void write_runs(uint64_t sends)
{
	struct recording_writer *writer = recording__create(path);
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};

	assert_non_null(writer);
	for (uint32_t run = 1; run <= 2; run++) {
		struct run_info info = sample_info(run);

		assert_int_equal(recording__begin_run(writer, &info), 0);
		for (uint64_t i = 0; run == 1 && i < sends; i++) {
			struct record_send send = nth(i);

			assert_int_equal(recording__write(writer, &send.head), 0);
		}
		assert_int_equal(recording__write(writer, &end.head), 0);
	}
	assert_int_equal(recording__close(writer), 0);
}

static int setup(void **state)
{
	int fd;

	strcpy(path, "/tmp/ipctrace-test-XXXXXX");
	fd = mkstemp(path);
	close(fd);
	return fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	return unlink(path);
}

EACH_TEST(setup, teardown)

static struct recording_reader *open_run(void)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;

	assert_non_null(reader);
	assert_int_equal(recording__next_run(reader, &info), 1);
	return reader;
}

static void check_sends(struct read_ahead *ahead, uint64_t sends)
{
	for (uint64_t i = 0; i < sends; i++) {
		const struct record *record = read_ahead__next(ahead);
		struct record_send send = nth(i);

		assert_non_null(record);
		assert_memory_equal(record, &send, sizeof(send));
	}
}

TEST(all_records_come_in_their_order)
{
	struct recording_reader *reader;
	struct read_ahead *ahead;
	const struct record *record;

	write_runs(RECORDS);
	reader = open_run();
	ahead = read_ahead__new(reader);
	check_sends(ahead, RECORDS);
	record = read_ahead__next(ahead);
	assert_non_null(record);
	assert_int_equal(record->type, RECORD_END);
	assert_null(read_ahead__next(ahead));
	assert_null(read_ahead__next(ahead));
	read_ahead__free(ahead);
	recording__free(reader);
}

/* The thread waits for room when read_ahead__free() stops it. */
TEST(the_next_run_follows_after_an_early_stop)
{
	struct recording_reader *reader;
	struct read_ahead *ahead;
	struct run_info info;

	write_runs(RECORDS);
	for (uint64_t taken = 0; taken < 3; taken++) {
		reader = open_run();
		ahead = read_ahead__new(reader);
		check_sends(ahead, taken);
		read_ahead__free(ahead);
		assert_int_equal(recording__next_run(reader, &info), 1);
		assert_int_equal(info.workload.clients, 2);
		ahead = read_ahead__new(reader);
		assert_int_equal(read_ahead__next(ahead)->type, RECORD_END);
		assert_null(read_ahead__next(ahead));
		read_ahead__free(ahead);
		recording__free(reader);
	}
}

static long file_size(void)
{
	FILE *file = fopen(path, "re");
	long size;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	fclose(file);
	return size;
}

TEST(a_recording_that_is_cut_short_ends_there)
{
	struct recording_reader *reader;
	struct read_ahead *ahead;
	uint64_t sends = 0;

	write_runs(RECORDS);
	assert_int_equal(truncate(path, file_size() / 3 * 2), 0);
	reader = open_run();
	ahead = read_ahead__new(reader);
	while (read_ahead__next(ahead))
		sends++;
	assert_true(sends > 0 && sends < RECORDS);
	read_ahead__free(ahead);
	recording__free(reader);
}

TEST_WITH(freeing_null_does_nothing, NULL, NULL)
{
	read_ahead__free(NULL);
}
