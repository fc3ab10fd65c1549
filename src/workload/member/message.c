/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes and checks the messages of the workload: header, contents and checksum. Keeps the headers
 * of messages that are too small for one.
 */
#include "workload/member/message.h"

#include <string.h>

/*
 * How much of a message's body is filled and summed. Up to WHOLE_MAX bytes, all of it. In a larger
 * body, the first and the last EDGE bytes, and one word of every page between. The rest is sent as
 * it is.
 */
#define WHOLE_MAX 4096
#define EDGE      1024
#define PAGE      4096

/* 2^64 divided by the golden ratio: odd, and its multiples are spread evenly. */
#define SPREAD        0x9e3779b97f4a7c15ULL
#define CLIENT_SPREAD 0xc2b2ae3d27d4eb4fULL /* another odd number */

/*
 * Words are processed in vectors of two, which every 64-bit machine has, and two vectors at a time.
 */
typedef uint64_t pair __attribute__((vector_size(2 * sizeof(uint64_t))));

struct pairs {
	pair a;
	pair b;
};

struct sum {
	struct pairs plain;
	struct pairs order; /* the sum of the sums, which depends on the order of words */
};

static uint64_t filling_of(uint32_t client, uint64_t number)
{
	return (number + 1) * SPREAD ^ client * CLIENT_SPREAD;
}

/* `at` is the position of these bytes in the body, so that no two pieces are alike. */
static void piece_fill(char *bytes, size_t size, uint64_t filling, size_t at)
{
	const size_t step = sizeof(pair);
	uint64_t word = filling + at * SPREAD;
	pair words = {word, word + SPREAD}, last;

	for (; size >= step; size -= step, bytes += step, words += 2 * SPREAD)
		memcpy(bytes, &words, step);
	last = words;
	memcpy(bytes, &last, size);
}

static void words_sum(struct sum *sum, const char bytes[sizeof(struct pairs)])
{
	struct pairs words;

	memcpy(&words.a, bytes, sizeof(pair));
	memcpy(&words.b, bytes + sizeof(pair), sizeof(pair));
	sum->plain.a += words.a;
	sum->plain.b += words.b;
	sum->order.a += sum->plain.a;
	sum->order.b += sum->plain.b;
}

static void piece_sum(struct sum *sum, const char *bytes, size_t size)
{
	const size_t step = sizeof(struct pairs);
	char last[sizeof(struct pairs)] = {0};
	struct sum so_far = *sum;

	for (; size >= step; size -= step, bytes += step)
		words_sum(&so_far, bytes);
	memcpy(last, bytes, size);
	if (size)
		words_sum(&so_far, last);
	*sum = so_far;
}

static uint64_t message_mix(uint64_t result, pair plain, pair order)
{
	for (int i = 0; i < 2; i++) {
		result = (result ^ plain[i]) * SPREAD;
		result = (result ^ result >> 29 ^ order[i]) * SPREAD;
	}
	return result;
}

static uint32_t sum_result(const struct sum *sum, size_t size)
{
	uint64_t result = message_mix(size, sum->plain.a, sum->order.a);

	return (uint32_t)(message_mix(result, sum->plain.b, sum->order.b) >> 32);
}

static void body_fill(char *body, size_t size, uint64_t filling)
{
	if (size <= WHOLE_MAX) {
		piece_fill(body, size, filling, 0);
		return;
	}
	piece_fill(body, EDGE, filling, 0);
	for (size_t at = PAGE; at < size - EDGE; at += PAGE)
		piece_fill(body + at, sizeof(uint64_t), filling, at);
	piece_fill(body + size - EDGE, EDGE, filling, size - EDGE);
}

static uint32_t body_sum(const char *body, size_t size)
{
	struct sum sum = {0};

	if (size <= WHOLE_MAX) {
		piece_sum(&sum, body, size);
		return sum_result(&sum, size);
	}
	piece_sum(&sum, body, EDGE);
	for (size_t at = PAGE; at < size - EDGE; at += PAGE)
		piece_sum(&sum, body + at, sizeof(uint64_t));
	piece_sum(&sum, body + size - EDGE, EDGE);
	return sum_result(&sum, size);
}

/* A message without a header has its number, low byte first, and then filling. */
static void small_make(char *message, size_t size, uint32_t client, uint64_t number)
{
	size_t first = size < sizeof(number) ? size : sizeof(number);

	memcpy(message, &number, first);
	piece_fill(message + first, size - first, filling_of(client, number), 0);
}

void message_make(void *message, size_t size, const struct message_header *header)
{
	if (size < sizeof(*header)) {
		small_make(message, size, header->client, header->number);
		return;
	}
	body_fill((char *)message + sizeof(*header), size - sizeof(*header),
		  filling_of(header->client, header->number));
	message_seal(message, header);
}

void message_seal(void *message, const struct message_header *header)
{
	struct message_header sealed = *header;

	sealed.magic = MESSAGE_MAGIC;
	sealed.sum =
		body_sum((const char *)message + sizeof(sealed), header->size - sizeof(sealed));
	memcpy(message, &sealed, sizeof(sealed));
}

uint64_t message_number(const void *message, size_t size, uint64_t expected)
{
	uint64_t number = 0, mask = size < sizeof(number) ? (1ULL << 8 * size) - 1 : UINT64_MAX;
	struct message_header header;

	if (size >= sizeof(header)) {
		memcpy(&header, message, sizeof(header));
		return header.number;
	}
	memcpy(&number, message, size < sizeof(number) ? size : sizeof(number));
	return expected + ((number - expected) & mask);
}

bool message_check(const void *message, size_t size, uint32_t client, uint64_t number,
		   struct message_header *header)
{
	char expected[sizeof(*header)];

	if (size < sizeof(*header)) {
		small_make(expected, size, client, number);
		return !memcmp(message, expected, size);
	}
	memcpy(header, message, sizeof(*header));
	return header->magic == MESSAGE_MAGIC && header->client == client &&
	       header->number == number && header->size == size &&
	       header->sum ==
		       body_sum((const char *)message + sizeof(*header), size - sizeof(*header));
}

static struct message_header *header_at(const struct sidecar *sidecar, uint64_t number)
{
	return &sidecar->headers[number & (sidecar->capacity - 1)];
}

/*
 * A header is valid while it has its number: the number is cleared first and written last. The
 * magic distinguishes number 0 from a slot that was never used.
 */
void sidecar_put(struct sidecar *sidecar, const struct message_header *header)
{
	struct message_header *at = header_at(sidecar, header->number);

	if (!sidecar->capacity)
		return;
	__atomic_store_n(&at->number, UINT64_MAX, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	at->magic = MESSAGE_MAGIC;
	at->client = header->client;
	at->size = header->size;
	at->stamp_ns = header->stamp_ns;
	at->due_ns = header->due_ns;
	__atomic_store_n(&at->number, header->number, __ATOMIC_RELEASE);
}

bool sidecar_get(const struct sidecar *sidecar, uint64_t number, struct message_header *header)
{
	const struct message_header *at = header_at(sidecar, number);

	if (!sidecar->capacity || __atomic_load_n(&at->number, __ATOMIC_ACQUIRE) != number)
		return false;
	*header = *at;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return header->magic == MESSAGE_MAGIC &&
	       __atomic_load_n(&at->number, __ATOMIC_RELAXED) == number;
}
