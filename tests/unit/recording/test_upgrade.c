/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings before version 6 kept flags in bits of other fields, and had no checks. */
#include "support/build.h"
#include "support/sample.h"

#include "recording/block.h"
#include "recording/header.h"
#include "recording/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANNEL = 7, TID = 42 };

/* The largest length of one call without the bits of the old flags. */
#define BYTES 0x3ffff000u

TEST(a_send_keeps_its_flags)
{
	struct record_send send = make_send(TID, CHANNEL, 500, 1000, 1100);

	send.head.cpu = 3 | 1u << 15;
	send.position |= 1ULL << 63;
	record_upgrade(&send.head, true);
	assert_int_equal(send.head.flags, SEND_UNWATCHED | SEND_AMBIGUOUS);
	assert_int_equal(send.head.cpu, 3);
	assert_int_equal(send.position, 500);
}

/* A dropped send has no position: all its bits are set. */
TEST(a_send_without_a_position_keeps_it)
{
	struct record_send send = make_send(TID, CHANNEL_UNKNOWN, POSITION_NONE, 1000, 0);

	record_upgrade(&send.head, true);
	assert_int_equal(send.head.flags, 0);
	assert_int_equal(send.position, POSITION_NONE);
}

TEST(a_receive_keeps_its_flags)
{
	struct record_receive receive = make_receive(TID, CHANNEL, 500, 1000, 1100);

	receive.bytes = BYTES | 1u << 31;
	record_upgrade(&receive.head, true);
	assert_int_equal(receive.head.flags, RECEIVE_LATE);
	assert_int_equal(receive.bytes, BYTES);
	receive.bytes = BYTES | 1u << 30;
	record_upgrade(&receive.head, true);
	assert_int_equal(receive.head.flags, RECEIVE_AMBIGUOUS);
	assert_int_equal(receive.bytes, BYTES);
}

/* `bytes` is a time there. */
TEST(an_untraced_receive_has_no_flags)
{
	struct record_receive receive = make_receive(TID, CHANNEL_UNKNOWN, 500, 1000, 1100);

	receive.bytes = UINT32_MAX;
	record_upgrade(&receive.head, true);
	assert_int_equal(receive.head.flags, 0);
	assert_int_equal(receive.bytes, UINT32_MAX);
}

/* Only an attach had flags. */
TEST(records_of_a_run_stay_as_they_are)
{
	struct record_receive receive = make_receive(TID, CHANNEL, 500, 1000, 1100);

	receive.head.flags = 0xff; /* formerly the upper bits of the thread id */
	receive.bytes = UINT32_MAX;
	record_upgrade(&receive.head, false);
	assert_int_equal(receive.head.flags, 0);
	assert_int_equal(receive.bytes, UINT32_MAX);
}

/* A recording of one run with a BLOCK_PLAIN block. */
static void write_old(const char *path, uint32_t version, const struct tape *tape)
{
	struct run_info info = sample_info(1);
	struct block_head block = {.flags = BLOCK_PLAIN | BLOCK_LAST, .records = tape->cnt};
	FILE *file = fopen(path, "we");
	uint32_t numbers[2] = {version};
	char *text;

	info.mode = MODE_ATTACH;
	text = recording_header_encode(&info);
	assert_non_null(file);
	assert_non_null(text);
	numbers[1] = strlen(text);
	for (size_t i = 0; i < tape->cnt; i++)
		block.stored = block.coded += tape->record[i]->words * 8;
	fwrite("IPCTRACE", 8, 1, file);
	fwrite(numbers, sizeof(numbers), 1, file);
	fwrite(text, numbers[1], 1, file);
	fwrite(&block, BLOCK_HEAD_UNCHECKED, 1, file);
	for (size_t i = 0; i < tape->cnt; i++)
		fwrite(tape->record[i], tape->record[i]->words * 8, 1, file);
	assert_int_equal(fclose(file), 0);
	free(text);
}

TEST(an_old_recording_is_read)
{
	static const uint32_t versions[] = {3, 5};
	char path[] = "/tmp/ipctrace-test-XXXXXX";
	struct record_send send = make_send(TID, CHANNEL, 500, 1000, 1100);
	const struct record *record;
	struct recording_reader *reader;
	struct run_info info;
	struct tape tape = {0};

	assert_int_equal(close(mkstemp(path)), 0);
	send.head.cpu = 1u << 15;
	tape_add(&tape, &send);
	put_end(&tape);
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		write_old(path, versions[i], &tape);
		reader = recording__open(path);
		assert_int_equal(recording__next_run(reader, &info), 1);
		record = recording__read(reader);
		assert_int_equal(record->type, RECORD_SEND);
		assert_int_equal(record->flags, SEND_UNWATCHED);
		assert_int_equal(recording__read(reader)->type, RECORD_END);
		assert_null(recording__read(reader));
		assert_int_equal(recording__next_run(reader, &info), 0);
		assert_true(recording__is_whole(reader));
		recording__free(reader);
	}
	unlink(path);
	tape_free(&tape);
}

/* A call may receive 1 GiB and more (MSG_WAITALL): bit 30 of the length was a flag before
 * version 6. */
TEST(today_no_bit_of_a_length_is_a_flag)
{
	char path[] = "/tmp/ipctrace-test-XXXXXX";
	struct record_receive receive = make_receive(TID, CHANNEL, 500, 1000, 1100);
	const struct record_receive *read;
	struct recording_writer *writer;
	struct recording_reader *reader;
	struct run_info info = sample_info(1);

	assert_int_equal(close(mkstemp(path)), 0);
	info.mode = MODE_ATTACH;
	receive.bytes = 1u << 30;
	writer = recording__create(path);
	assert_non_null(writer);
	assert_int_equal(recording__begin_run(writer, &info), 0);
	assert_int_equal(recording__write(writer, &receive.head), 0);
	receive.head.flags = RECEIVE_LATE;
	assert_int_equal(recording__write(writer, &receive.head), 0);
	assert_int_equal(recording__close(writer), 0);
	reader = recording__open(path);
	assert_int_equal(recording__next_run(reader, &info), 1);
	for (u32 flags = 0; flags <= RECEIVE_LATE; flags += RECEIVE_LATE) {
		read = (const void *)recording__read(reader);
		assert_non_null(read);
		assert_int_equal(read->bytes, 1u << 30);
		assert_int_equal(read->head.flags, flags);
	}
	recording__free(reader);
	unlink(path);
}
