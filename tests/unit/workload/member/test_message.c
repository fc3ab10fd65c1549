/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the workload that are damaged, misplaced or cut are noticed. */
#include "support/build.h"

#include "workload/member/message.h"

#include <stdlib.h>
#include <string.h>

#define CLIENT 7
#define NUMBER 0x1234567890ULL

static const size_t sizes[] = {
	1, 2, 7, 8, 9, 39, 40, 41, 47, 48, 64, 100, 1500, 4096, 4136, 4137, 5000, 65536, 1000001,
};

static struct message_header header_of(size_t size)
{
	return (struct message_header){.client = CLIENT,
				       .size = (uint32_t)size,
				       .number = NUMBER,
				       .stamp_ns = 11,
				       .due_ns = 10};
}

static char *made(size_t size)
{
	struct message_header header = header_of(size);
	char *message = calloc(1, size);

	assert_non_null(message);
	message_make(message, size, &header);
	return message;
}

static bool is_good(const char *message, size_t size, uint32_t client, uint64_t number)
{
	struct message_header header;

	return message_check(message, size, client, number, &header);
}

TEST(what_was_made_is_good)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *message = made(sizes[i]);

		assert_true(is_good(message, sizes[i], CLIENT, NUMBER));
		free(message);
	}
}

TEST(the_header_comes_as_it_was_sent)
{
	struct message_header header;
	char *message = made(64);

	assert_true(message_check(message, 64, CLIENT, NUMBER, &header));
	assert_int_equal(header.stamp_ns, 11);
	assert_int_equal(header.due_ns, 10);
	assert_int_equal(header.size, 64);
	free(message);
}

TEST(another_number_client_or_size_is_not)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i];
		char *message = made(size);

		assert_false(is_good(message, size, CLIENT, NUMBER + 1));
		/* Smaller messages have room for the number's low bytes only. */
		if (size > sizeof(uint64_t))
			assert_false(is_good(message, size, CLIENT + 1, NUMBER));
		if (size > sizeof(struct message_header))
			assert_false(is_good(message, size - 1, CLIENT, NUMBER));
		free(message);
	}
}

/* Where every byte is checked: all of a message up to 4 KiB, and the edges of a larger one. */
static bool is_covered(size_t size, size_t at)
{
	const size_t header = sizeof(struct message_header);

	return size <= header + 4096 || at < header + 1024 || at >= size - 1024;
}

TEST(a_damaged_byte_is_noticed)
{
	const size_t stamps = offsetof(struct message_header, stamp_ns);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i], step = size > 2000 ? 61 : 1;
		char *message = made(size);

		for (size_t at = 0; at < size; at += step) {
			bool is_stamp = size >= sizeof(struct message_header) && at >= stamps &&
					at < sizeof(struct message_header);

			if (is_stamp || !is_covered(size, at))
				continue;
			message[at] ^= 0x10;
			assert_false(is_good(message, size, CLIENT, NUMBER));
			message[at] ^= 0x10;
		}
		free(message);
	}
}

TEST(every_page_of_a_large_message_is_looked_at)
{
	const size_t size = 1000001, page = 4096;
	char *message = made(size);

	for (size_t at = 0; at + page <= size; at += page) {
		char kept[4096];

		memcpy(kept, message + at, page);
		memset(message + at, 0, page);
		assert_false(is_good(message, size, CLIENT, NUMBER));
		memcpy(message + at, kept, page);
	}
	assert_true(is_good(message, size, CLIENT, NUMBER));
	free(message);
}

TEST(words_in_another_order_are_noticed)
{
	char *message = made(4000), *body = message + sizeof(struct message_header), kept[64];

	memcpy(kept, body, 64);
	memcpy(body, body + 64, 64);
	memcpy(body + 64, kept, 64);
	assert_false(is_good(message, 4000, CLIENT, NUMBER));
	free(message);
}

TEST(text_is_sealed_as_it_is)
{
	const size_t size = sizeof(struct message_header) + 5;
	struct message_header header = header_of(size), read;
	char message[64] = {0};

	memcpy(message + sizeof(header), "hello", 5);
	message_seal(message, &header);
	assert_memory_equal(message + sizeof(header), "hello", 5);
	assert_true(message_check(message, size, CLIENT, NUMBER, &read));
	message[sizeof(header)] = 'j';
	assert_false(message_check(message, size, CLIENT, NUMBER, &read));
}

TEST(a_small_message_says_its_number_as_far_as_it_can)
{
	char *message = made(1);

	assert_int_equal(message_number(message, 1, NUMBER), NUMBER);
	assert_int_equal(message_number(message, 1, NUMBER - 255), NUMBER);
	assert_int_equal(message_number(message, 1, NUMBER - 256), NUMBER - 256);
	free(message);
	message = made(8);
	assert_int_equal(message_number(message, 8, NUMBER + 1), NUMBER);
	free(message);
	message = made(64);
	assert_int_equal(message_number(message, 64, NUMBER - 1000), NUMBER);
	free(message);
}

static struct message_header small_header(uint64_t number)
{
	return (struct message_header){
		.client = CLIENT, .size = 3, .number = number, .stamp_ns = 100 + number};
}

TEST(a_sidecar_keeps_as_many_headers_as_it_has_room)
{
	struct message_header headers[8] = {0}, header;
	struct sidecar sidecar = {.headers = headers, .capacity = 8};

	/* An unused slot is not message 0. */
	assert_false(sidecar_get(&sidecar, 0, &header));
	for (uint64_t number = 0; number < 11; number++) {
		header = small_header(number);
		sidecar_put(&sidecar, &header);
	}
	for (uint64_t number = 0; number < 3; number++)
		assert_false(sidecar_get(&sidecar, number, &header));
	for (uint64_t number = 3; number < 11; number++) {
		assert_true(sidecar_get(&sidecar, number, &header));
		assert_int_equal(header.stamp_ns, 100 + number);
		assert_int_equal(header.client, CLIENT);
		assert_int_equal(header.size, 3);
	}
	assert_false(sidecar_get(&sidecar, 11, &header));
}
