/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. */
#include "support/build.h"

#include "container/array.h"

#include <stdlib.h>

TEST(what_is_in_it_stays)
{
	enum { CNT = 1000 };
	uint32_t *number = NULL;
	size_t room = 0;

	for (size_t i = 0; i < CNT; i++) {
		assert_int_equal(array_grow(&number, i, &room, sizeof(*number)), 0);
		assert_true(room > i);
		number[i] = i;
	}
	for (size_t i = 0; i < CNT; i++)
		assert_int_equal(number[i], i);
	free(number);
}

TEST(while_there_is_room_it_does_not_move)
{
	uint64_t *number = NULL, *before;
	size_t room = 0, had;

	assert_int_equal(array_grow(&number, 0, &room, sizeof(*number)), 0);
	had = room;
	before = number;
	assert_int_equal(array_grow(&number, room - 1, &room, sizeof(*number)), 0);
	assert_int_equal(room, had);
	assert_ptr_equal(number, before);
	free(number);
}
