/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids are in the set from when they are added until they are removed. */
#include "support/build.h"

#include "container/id_set.h"

TEST(what_was_added_is_there)
{
	struct id_set set = {0};

	assert_false(id_set_has(&set, 7));
	id_set_remove(&set, 7);
	assert_true(id_set_add(&set, 7));
	assert_true(id_set_add(&set, (1u << 22) - 1));
	assert_true(id_set_has(&set, 7));
	assert_true(id_set_has(&set, (1u << 22) - 1));
	assert_false(id_set_has(&set, 6));
	assert_false(id_set_has(&set, 8));
	id_set_remove(&set, 7);
	assert_false(id_set_has(&set, 7));
	assert_true(id_set_has(&set, (1u << 22) - 1));
	id_set_clean(&set);
	assert_false(id_set_has(&set, 7));
}

/* Any number is an id: the highest bit of a channel says that it is a stream. */
TEST(every_number_has_a_place)
{
	struct id_set set = {0};

	assert_true(id_set_add(&set, UINT32_MAX));
	assert_true(id_set_has(&set, UINT32_MAX));
	assert_false(id_set_has(&set, 0));
	id_set_clean(&set);
}
