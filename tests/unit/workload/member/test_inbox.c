/* SPDX-License-Identifier: BSD-2-Clause */
/* An inbox cuts whole messages out of a byte stream, in whatever parts the bytes arrive. */
#include "support/build.h"

#include "workload/member/inbox.h"
#include "workload/member/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 200
#define MOST     300

/* A stream of messages, and how far it has been read. */
struct stream {
	char *bytes;
	size_t size;
	size_t at;
};

static size_t size_of(uint64_t number, size_t fixed)
{
	return fixed ? fixed : sizeof(struct message_header) + number * 37 % 250;
}

static struct stream stream_of(size_t fixed)
{
	struct stream stream = {.bytes = calloc(MESSAGES, MOST)};

	assert_non_null(stream.bytes);
	for (uint64_t number = 0; number < MESSAGES; number++) {
		struct message_header header = {
			.client = 1, .size = (uint32_t)size_of(number, fixed), .number = number};

		message_make(stream.bytes + stream.size, header.size, &header);
		stream.size += header.size;
	}
	return stream;
}

/* Like receive(): at most `size` bytes of the rest. */
static size_t stream_read(struct stream *stream, char *bytes, size_t size)
{
	size_t left = stream->size - stream->at;

	size = size < left ? size : left;
	memcpy(bytes, stream->bytes + stream->at, size);
	stream->at += size;
	return size;
}

static void take_all(struct inbox *inbox, uint64_t *number)
{
	struct message_header header;
	char *message;
	ssize_t size;

	while ((size = inbox_pop(inbox, &message)) > 0) {
		assert_int_equal(size, size_of(*number, inbox->fixed));
		assert_true(message_check(message, (size_t)size, 1, *number, &header));
		(*number)++;
	}
	assert_int_equal(size, 0);
}

static void check_cut(size_t fixed, size_t read)
{
	struct stream stream = stream_of(fixed);
	struct inbox inbox;
	uint64_t number = 0;

	assert_int_equal(inbox_make(&inbox, fixed, fixed ? fixed : MOST, read), 0);
	while (stream.at < stream.size) {
		char *bytes = inbox_space(&inbox, read);

		assert_true(bytes + read <= inbox.bytes + inbox.room);
		inbox_added(&inbox, stream_read(&stream, bytes, read));
		take_all(&inbox, &number);
	}
	assert_int_equal(number, MESSAGES);
	inbox_free(&inbox);
	free(stream.bytes);
}

TEST(messages_that_say_their_size_come_whole)
{
	static const size_t reads[] = {1, 2, 39, 40, 41, 100, MOST, 1000, 100000};

	for (size_t i = 0; i < ARRAY_SIZE(reads); i++)
		check_cut(0, reads[i]);
}

TEST(messages_of_a_fixed_size_come_whole)
{
	static const size_t fixed[] = {1, 3, 39}, reads[] = {1, 2, 3, 4, 39, 50, 10000};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		for (size_t k = 0; k < ARRAY_SIZE(reads); k++)
			check_cut(fixed[i], reads[k]);
}

TEST(a_message_that_has_begun_shows_what_is_missing)
{
	struct stream stream = stream_of(0);
	size_t first = size_of(0, 0), second = size_of(1, 0);
	struct inbox inbox;
	char *message;

	assert_int_equal(inbox_make(&inbox, 0, MOST, 1000), 0);
	assert_int_equal(inbox_missing(&inbox), 0);
	inbox_added(&inbox, stream_read(&stream, inbox_space(&inbox, 1000), 20));
	assert_int_equal(inbox_missing(&inbox), 0);
	assert_int_equal(inbox_pop(&inbox, &message), 0);
	inbox_added(&inbox, stream_read(&stream, inbox_space(&inbox, 1000), first + 50 - 20));
	assert_int_equal(inbox_pop(&inbox, &message), first);
	assert_int_equal(inbox_missing(&inbox), second - 50);
	inbox_free(&inbox);
	free(stream.bytes);
}

TEST(what_is_no_message_is_said)
{
	struct stream stream = stream_of(0);
	struct inbox inbox;
	char *message;

	stream.at = 1; /* as after a lost byte */
	assert_int_equal(inbox_make(&inbox, 0, MOST, 1000), 0);
	inbox_added(&inbox, stream_read(&stream, inbox_space(&inbox, 1000), 1000));
	assert_int_equal(inbox_pop(&inbox, &message), -EPROTO);
	inbox_free(&inbox);
	free(stream.bytes);
}

TEST(a_size_that_cannot_be_is_no_message)
{
	struct message_header header = {.magic = MESSAGE_MAGIC};
	static const uint32_t sizes[] = {0, 39, MOST + 1, UINT32_MAX};
	struct inbox inbox;
	char *message;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		header.size = sizes[i];
		assert_int_equal(inbox_make(&inbox, 0, MOST, MOST), 0);
		memcpy(inbox_space(&inbox, sizeof(header)), &header, sizeof(header));
		inbox_added(&inbox, sizeof(header));
		assert_int_equal(inbox_pop(&inbox, &message), -EPROTO);
		assert_int_equal(inbox_missing(&inbox), 0);
		inbox_free(&inbox);
	}
}
