/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of a recording: damaged ones end a run and are never read out of bounds. */
#include "support/build.h"
#include "support/recording_file.h"
#include "support/sample.h"

#include "model/record_decode.h"
#include "recording/block.h"
#include "recording/recording.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Writes the right check into the first block after a test has changed its contents. */
static void seal(unsigned char *bytes, size_t header_end)
{
	struct block_head *block = (struct block_head *)(bytes + header_end);
	uint32_t check = crc32(0, bytes, header_end - CHECK_SIZE);

	check = crc32(check, (void *)block, BLOCK_HEAD_UNCHECKED);
	block->check = crc32(check, (void *)(block + 1), block->stored);
}

/* A file whose first run is one BLOCK_PLAIN block. The second run is unchanged. */
static struct recording_file *file_plain(void)
{
	struct recording_file *plain = recording_file_new();
	const struct tape *tape = &plain->tape;
	size_t begin = plain->record_end[0][plain->record_cnt[0] - 1];
	struct block_head block = {.flags = BLOCK_PLAIN | BLOCK_LAST, .records = tape->cnt};
	size_t at = plain->header_end[0] + sizeof(block);
	unsigned char *original = drop_after(malloc(RECORDING_FILE_MAX), free);

	memcpy(original, plain->bytes, plain->size);
	for (size_t i = 0; i < tape->cnt; i++) {
		memcpy(plain->bytes + at, tape->record[i], record_size(tape->record[i]));
		at += record_size(tape->record[i]);
		plain->record_end[0][i] = at;
	}
	block.coded = block.stored = at - plain->header_end[0] - sizeof(block);
	memcpy(plain->bytes + plain->header_end[0], &block, sizeof(block));
	seal(plain->bytes, plain->header_end[0]);
	memcpy(plain->bytes + at, original + begin, plain->size - begin);
	plain->size += at - begin;
	return plain;
}

TEST(records_may_lie_there_as_they_are)
{
	struct recording_file *file = file_plain();
	struct reading reading;

	read_recording_bytes(&reading, file, file->bytes, file->size);
	assert_int_equal(reading.runs, 2);
	assert_int_equal(reading.records[0], file->tape.cnt);
	assert_int_equal(reading.records[1], file->tape.cnt);
}

/* Replaces the k-th record of the first run: reading ends there for good. */
static void assert_ends_at(struct recording_file *file, size_t k, struct record head)
{
	size_t at =
		k ? file->record_end[0][k - 1] : file->header_end[0] + sizeof(struct block_head);
	unsigned char *bytes = malloc(file->size);
	struct reading reading;

	memcpy(bytes, file->bytes, file->size);
	memcpy(bytes + at, &head, sizeof(head));
	seal(bytes, file->header_end[0]);
	read_recording_bytes(&reading, file, bytes, file->size);
	free(bytes);
	if (reading.runs != 1 || reading.records[0] != k || reading.end)
		fail_msg("type %u of %u words: %d runs, %zu records, then %d", head.type,
			 head.words, reading.runs, reading.records[0], reading.end);
}

TEST(a_record_of_impossible_type_or_length_ends_the_run)
{
	struct recording_file *file = file_plain();

	for (size_t k = 0; k + 1 < file->tape.cnt; k++) {
		uint8_t words = file->tape.record[k]->words, type = file->tape.record[k]->type;
		uint8_t fewest = type == RECORD_RECEIVE   ? RECORD_WORDS(struct record_receive)
				 : type == RECORD_CHANGES ? RECORD_WORDS(struct record_changes)
							  : words;

		assert_ends_at(file, k, (struct record){.type = 0, .words = words});
		assert_ends_at(file, k, (struct record){.type = NR_RECORD_TYPES, .words = words});
		assert_ends_at(file, k, (struct record){.type = 255, .words = 255});
		assert_ends_at(file, k, (struct record){.type = type, .words = 0});
		assert_ends_at(file, k, (struct record){.type = type, .words = 1});
		assert_ends_at(file, k, (struct record){.type = type, .words = fewest - 1});
	}
}

/* No record of a block with a changed byte is read. */
TEST(a_damaged_block_ends_the_run_before_it)
{
	struct recording_file *file = recording_file_new();
	size_t first = recording_file_records_before(file, 0, file->record_end[0][0]);
	struct reading reading;

	assert_in_range(first, 1, file->tape.cnt - 1);
	for (size_t at = file->record_end[0][0] + sizeof(struct block_head);
	     at < file->record_end[0][first]; at++) {
		file->bytes[at] ^= 0xff;
		read_recording_bytes(&reading, file, file->bytes, file->size);
		file->bytes[at] ^= 0xff;
		assert_int_equal(reading.runs, 1);
		assert_int_equal(reading.records[0], first);
	}
}

/* A block that compresses too well is stored uncompressed. */
TEST(records_that_are_all_alike_are_not_compressed_without_end)
{
	struct record_load load = {.head = {.type = RECORD_LOAD, .words = RECORD_WORDS(load)}};
	struct recording_file *file = recording_file_new();
	struct recording_writer *writer = recording__create(file->path);
	struct run_info info = sample_info(1);
	struct reading reading;
	struct block_head block;
	uint32_t text_size;

	assert_int_equal(recording__begin_run(writer, &info), 0);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(recording__write(writer, &load.head), 0);
	assert_int_equal(recording__close(writer), 0);
	read_recording(&reading, file->path);
	assert_int_equal(reading.records[0], 20000);
	recording_file_load(file->path, file->bytes);
	memcpy(&text_size, file->bytes + 12, sizeof(text_size));
	memcpy(&block, file->bytes + PREAMBLE_SIZE + text_size + CHECK_SIZE, sizeof(block));
	assert_int_equal(block.flags, BLOCK_UNPACKED);
	assert_int_equal(block.stored, block.coded);
}

/* A block whose head claims too much is not even decompressed. */
TEST(a_block_that_expands_too_far_is_refused)
{
	struct block_head block;
	struct recording_file *file = recording_file_new();
	size_t at = file->header_end[0];
	struct reading reading;

	memcpy(&block, file->bytes + at, sizeof(block));
	for (int i = 0; i < 2; i++) {
		struct block_head bomb = block;

		if (i)
			bomb.coded = BLOCK_EXPANSION_MAX * (block.stored + 1);
		else
			bomb.records = BLOCK_RECORDS_PER_BYTE_MAX * (block.stored + 1);
		memcpy(file->bytes + at, &bomb, sizeof(bomb));
		seal(file->bytes, at);
		read_recording_bytes(&reading, file, file->bytes, file->size);
		assert_int_equal(reading.runs, 1);
		assert_int_equal(reading.records[0], 0);
	}
}

TEST(damaged_records_are_never_read_outside_of_the_file)
{
	struct recording_file *file = recording_file_new();
	unsigned char *bytes = malloc(file->size);
	struct reading reading;
	uint64_t seed = 2;

	for (int i = 0; i < 3000; i++) {
		memcpy(bytes, file->bytes, file->size);
		flip_bits(bytes, file->header_end[0], file->size, &seed);
		read_recording_bytes(&reading, file, bytes, file->size);
		assert_in_range(reading.runs, 1, 2);
		assert_true(reading.records[0] <= file->size / 8);
		if (reading.end)
			assert_recording_refused(&reading, file, "");
	}
	free(bytes);
}
