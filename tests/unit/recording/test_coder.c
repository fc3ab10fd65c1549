/* SPDX-License-Identifier: BSD-2-Clause */
/* The coder of recordings: every record comes back as it was, and common ones need few bytes. */
#include "support/build.h"

#include "model/record_decode.h"
#include "recording/coder.h"
#include "recording/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 20000

/* The largest value of the bit field `tid`. */
#define TID_MAX ((1u << 24) - 1)

/* A writer, a reader, and the bytes between them. */
struct pair {
	struct coder *from;
	struct coder *to;
	unsigned char coded[2 * CODED_MAX];
};

static struct pair *pair_new(void)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	pair->from = coder__new();
	pair->to = coder__new();
	assert_non_null(pair->from);
	assert_non_null(pair->to);
	return pair;
}

static void pair_free(struct pair *pair)
{
	coder__free(pair->from);
	coder__free(pair->to);
	free(pair);
}

/* Codes a record and decodes it again. Returns its coded size. */
static size_t assert_comes_back(struct pair *pair, const struct record *record)
{
	_Alignas(8) unsigned char got[RECORD_SIZE_MAX];
	size_t size = coder__encode(pair->from, record, pair->coded);

	assert_in_range(size, 2, CODED_MAX);
	memset(got, 0xee, sizeof(got));
	assert_int_equal(coder__decode(pair->to, pair->coded, size, (struct record *)got), size);
	assert_memory_equal(got, record, record_size(record));
	return size;
}

static const struct layout *layout_at(size_t i)
{
	size_t cnt;
	const struct layout *layouts = recording_layouts(&cnt);

	return i < cnt ? &layouts[i] : NULL;
}

/* Fills the fields with random bytes. Bytes outside of fields stay zero. */
static void fill_record(unsigned char *bytes, const struct layout *layout, size_t tail,
			uint64_t *seed)
{
	struct record *record = (struct record *)bytes;

	memset(bytes, 0, layout->size);
	for (const struct field *field = layout->field; field->name; field++) {
		for (size_t i = 0; i < field->size; i++)
			bytes[field->offset + i] =
				random_below(seed, 3) ? random_below(seed, 256) : 0;
	}
	for (size_t i = layout->size; i < layout->size + tail * 8; i++)
		bytes[i] = random_below(seed, 256);
	record->type = layout->type;
	record->words = layout->size / 8 + tail;
	record->cpu = random_below(seed, 1 << 16);
	record->tid = random_below(seed, 3) ? random_below(seed, 100) : TID_MAX;
	record->flags = random_below(seed, 3) ? 0 : random_below(seed, 256);
}

TEST(every_record_comes_back_whatever_is_in_it)
{
	_Alignas(8) unsigned char bytes[RECORD_SIZE_MAX];
	struct pair *pair = pair_new();
	const struct layout *layout;
	uint64_t seed = 5;
	size_t cnt;

	recording_layouts(&cnt);
	for (int i = 0; i < TRIES; i++) {
		layout = layout_at(random_below(&seed, cnt));
		fill_record(bytes, layout,
			    random_below(&seed, 2) ? random_below(&seed, 255 - layout->size / 8 + 1)
						   : 0,
			    &seed);
		assert_comes_back(pair, (const struct record *)bytes);
	}
	pair_free(pair);
}

TEST(extremes_come_back)
{
	static const uint64_t values[] = {0,         1, UINT64_MAX, 1ULL << 63,
					  INT64_MAX, 1, 0,          1ULL << 46};
	struct pair *pair = pair_new();
	uint64_t change[CHANGES_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(values) * ARRAY_SIZE(values); i++) {
		uint64_t a = values[i % ARRAY_SIZE(values)], b = values[i / ARRAY_SIZE(values)];
		struct record_send send = make_send(a, b, a, b, a);
		struct tape tape = {0};

		for (size_t k = 0; k < CHANGES_MAX; k++)
			change[k] = k % 2 ? a : b;
		put_receive(&tape, b, a, b, a, b, a, change, CHANGES_MAX);
		assert_comes_back(pair, &send.head);
		assert_comes_back(pair, tape.record[0]);
		tape_free(&tape);
	}
	pair_free(pair);
}

/* A message every 10 us: SEND, and RECEIVE with state changes. */
static size_t code_message(struct pair *pair, uint64_t i)
{
	uint64_t at = 1000000000 + i * 10000 + i % 7;
	uint64_t change[] = {SLEEP(at - 900, 1), change_pack(at + 400, 1, CHANGE_WAKE),
			     change_pack(at + 600, 1, CHANGE_SWITCH),
			     change_pack(at + 900, 1, CHANGE_RUN)};
	struct record_send send = make_send(4001, 7, i, at, at + 300);
	struct tape tape = {0};
	size_t size;

	put_receive(&tape, 4002, 7, i, at - 1000, at + 1500, i * 4, change, 4);
	size = assert_comes_back(pair, &send.head) + assert_comes_back(pair, tape.record[0]);
	tape_free(&tape);
	return size;
}

TEST(a_usual_message_takes_few_bytes)
{
	struct pair *pair = pair_new();

	for (uint64_t i = 0; i < 3; i++)
		code_message(pair, i);
	for (uint64_t i = 3; i < 1000; i++)
		assert_in_range(code_message(pair, i), 10, 36);
	pair_free(pair);
}

TEST(after_a_reset_nothing_is_remembered)
{
	struct pair *pair = pair_new();
	size_t first = code_message(pair, 0);

	assert_true(code_message(pair, 1) < first);
	coder__reset(pair->from);
	coder__reset(pair->to);
	assert_int_equal(code_message(pair, 0), first);
	pair_free(pair);
}

/* Bytes after the end exist, but are not part of the block. */
TEST(a_record_beyond_the_end_is_refused)
{
	_Alignas(8) unsigned char got[RECORD_SIZE_MAX];
	struct record_send send = make_send(4001, 7, 3, 1000, 2000);
	struct pair *pair = pair_new();
	size_t size = coder__encode(pair->from, &send.head, pair->coded);

	for (size_t less = 0; less < size; less++) {
		coder__reset(pair->to);
		assert_int_equal(coder__decode(pair->to, pair->coded, less, (struct record *)got),
				 -EINVAL);
	}
	pair_free(pair);
}

TEST(any_bytes_are_a_record_or_refused)
{
	_Alignas(8) unsigned char got[RECORD_SIZE_MAX];
	struct pair *pair = pair_new();
	uint64_t seed = 6;
	int records = 0;
	ssize_t size;

	for (int i = 0; i < TRIES; i++) {
		for (size_t at = 0; at < sizeof(pair->coded); at++)
			pair->coded[at] = at ? seed >> at % 50 : random_below(&seed, 25);
		size = coder__decode(pair->to, pair->coded, CODED_MAX, (struct record *)got);
		assert_true(size == -EINVAL || (size >= 2 && size <= CODED_MAX));
		records += size > 0;
	}
	assert_in_range(records, 1, TRIES - 1);
	pair_free(pair);
}
