/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "model/record_decode.h"

#include <errno.h>

static const size_t sizes[NR_RECORD_TYPES] = {
#define RECORD(number, TYPE, type, name, bytes, ...) [RECORD_##TYPE] = bytes,
#include "bpf/record_list.h"
};

#define EACH_TYPE(type)                                                                            \
	for (unsigned int type = 1; type < NR_RECORD_TYPES; type++)                                \
		if (sizes[type])

static struct record head_of(unsigned int type, size_t size)
{
	return (struct record){.type = type, .words = size / 8};
}

TEST(a_record_of_every_type_is_as_long_as_it_says)
{
	EACH_TYPE(type)
	{
		struct record head = head_of(type, sizes[type]);

		assert_int_equal(record_check(&head, sizes[type]), sizes[type]);
		assert_int_equal(record_check(&head, 4096), sizes[type]);
	}
}

TEST(a_record_with_more_than_its_type_needs_is_one)
{
	EACH_TYPE(type)
	{
		struct record head = head_of(type, sizes[type] + 8);

		assert_int_equal(record_check(&head, 4096), sizes[type] + 8);
	}
}

TEST(a_record_that_goes_on_after_the_bytes_is_not_complete)
{
	EACH_TYPE(type)
	{
		struct record head = head_of(type, sizes[type]);

		for (size_t available = 0; available < sizes[type]; available++)
			assert_int_equal(record_check(&head, available), 0);
	}
}

TEST(a_record_too_short_for_its_type_is_invalid)
{
	EACH_TYPE(type)
	{
		struct record head = head_of(type, sizes[type] - 8);

		assert_int_equal(record_check(&head, 4096), -EINVAL);
		head.words = 0;
		assert_int_equal(record_check(&head, 4096), -EINVAL);
	}
}

TEST(a_record_of_no_known_type_is_invalid)
{
	for (unsigned int type = 0; type < 256; type++) {
		struct record head = head_of(type, 64);

		if (type >= NR_RECORD_TYPES || !sizes[type])
			assert_int_equal(record_check(&head, 4096), -EINVAL);
	}
}

TEST(the_changes_are_what_follows_a_receive)
{
	struct tape tape = {0};
	const uint64_t *change;
	size_t cnt = 99;

	put_receive(&tape, 1, 1, 0, 10, 20, 0, NO_CHANGES);
	put_receive(&tape, 1, 1, 0, 10, 20, 0, CHANGES(SLEEP(11, 3), WAKE(12, 3), SWITCH(13, 3)));
	receive_changes((const void *)tape.record[0], &cnt);
	assert_int_equal(cnt, 0);
	change = receive_changes((const void *)tape.record[1], &cnt);
	assert_int_equal(cnt, 3);
	assert_int_equal(change[0], SLEEP(11, 3));
	assert_int_equal(change[2], SWITCH(13, 3));
	tape_free(&tape);
}

TEST(the_changes_are_what_follows_a_changes_record)
{
	struct tape tape = {0};
	const uint64_t *change;
	size_t cnt;

	put_changes(&tape, 1, 20, 5, CHANGES(PREEMPT(11, 3), MIGRATE(12, 4)));
	change = changes_changes((const void *)tape.record[0], &cnt);
	assert_int_equal(cnt, 2);
	assert_int_equal(change[1], MIGRATE(12, 4));
	tape_free(&tape);
}

TEST(records_of_an_attach_have_one_length)
{
	struct record_thread thread = make_thread(5, 4, true, 77);
	struct record_baseline start = make_baseline(9, BASELINE_UNKNOWN, false);
	struct record_address address = make_port_address(9, 40000, 80);
	const struct record *record[] = {&thread.head, &start.head, &address.head};

	for (size_t i = 0; i < ARRAY_SIZE(record); i++) {
		size_t size = record_size(record[i]);
		struct record shorter = *record[i];

		assert_int_equal(record_check(record[i], size), size);
		assert_int_equal(record_check(record[i], size - 8), 0); /* it goes on */
		shorter.words--;
		assert_int_equal(record_check(&shorter, size), -EINVAL);
	}
}
