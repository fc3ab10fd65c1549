/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries that come behind and go in front: what stays is what it was, wherever it lies. */
#include "support/build.h"

#include "container/deque.h"

struct numbers {
	uint32_t *number;
	struct deque deque;
	uint32_t next; /* to come */
};

static void add(struct numbers *numbers, size_t cnt)
{
	assert_int_equal(deque_reserve(&numbers->deque, &numbers->number, cnt, sizeof(uint32_t)),
			 0);
	for (; cnt; cnt--)
		numbers->number[numbers->deque.cnt++] = numbers->next++;
}

static void drop(struct numbers *numbers, size_t cnt)
{
	deque_drop(&numbers->deque, &numbers->number, cnt, sizeof(uint32_t));
}

static void check(const struct numbers *numbers, uint32_t first)
{
	assert_int_equal(numbers->deque.cnt, numbers->next - first);
	assert_true(numbers->deque.gone + numbers->deque.cnt <= numbers->deque.room);
	for (size_t i = 0; i < numbers->deque.cnt; i++)
		assert_int_equal(numbers->number[i], first + i);
}

static void clean(struct numbers *numbers)
{
	deque_free(&numbers->deque, &numbers->number, sizeof(uint32_t));
}

TEST(what_stays_is_what_it_was)
{
	struct numbers numbers = {0};
	uint32_t first = 0;

	for (size_t i = 0; i < 1000; i++) {
		add(&numbers, i % 7);
		drop(&numbers, numbers.deque.cnt / 3);
		first = numbers.next - numbers.deque.cnt;
		check(&numbers, first);
	}
	clean(&numbers);
}

TEST(the_room_of_what_has_gone_is_used_again)
{
	struct numbers numbers = {0};

	add(&numbers, 1000);
	for (size_t i = 0; i < 100000; i++) {
		add(&numbers, 1);
		drop(&numbers, 1);
	}
	check(&numbers, 100000);
	assert_true(numbers.deque.room < 2000);
	clean(&numbers);
}

TEST(shrunk_it_goes_on)
{
	struct numbers numbers = {0};

	for (size_t left = 1; left < 20; left++) {
		add(&numbers, 100);
		drop(&numbers, numbers.deque.cnt - left);
		deque_shrink(&numbers.deque, &numbers.number, sizeof(uint32_t));
		assert_int_equal(numbers.deque.room, left);
		check(&numbers, numbers.next - left);
		add(&numbers, 1);
		check(&numbers, numbers.next - left - 1);
	}
	clean(&numbers);
}

/* What came all at once does not keep its room, and what stays is what it was. */
TEST(room_for_far_more_is_given_back)
{
	struct numbers numbers = {0};

	add(&numbers, 1000000);
	deque_fit(&numbers.deque, &numbers.number, sizeof(uint32_t));
	assert_true(numbers.deque.room >= 1000000);
	drop(&numbers, 950000);
	deque_fit(&numbers.deque, &numbers.number, sizeof(uint32_t));
	assert_int_equal(numbers.deque.room, 100000);
	check(&numbers, 950000);
	drop(&numbers, 49990);
	deque_fit(&numbers.deque, &numbers.number, sizeof(uint32_t));
	assert_true(numbers.deque.room < 20000);
	check(&numbers, 999990);
	add(&numbers, 100000);
	check(&numbers, 999990);
	clean(&numbers);
}

TEST(of_nothing_nothing_is_freed)
{
	struct numbers numbers = {0};

	clean(&numbers);
	assert_null(numbers.number);
}
