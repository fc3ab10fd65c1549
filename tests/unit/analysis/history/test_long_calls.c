/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a time that a thread spent in long system calls. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

enum { TID = 7, OTHER = 8, CLONE = 56, FSYNC = 74 };

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static void was_in(struct deep_events *deep, uint32_t tid, uint32_t number, uint64_t enter_ns,
		   uint64_t exit_ns)
{
	const struct record_call call = {
		.head = record_head(RECORD_CALL, sizeof(call), 0, tid),
		.number = number,
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
	};

	assert_int_equal(deep_events__add(deep, &call.head), 0);
}

static void assert_call(struct deep_events *deep, uint64_t from_ns, uint64_t to_ns, uint32_t number,
			uint64_t begins_ns, uint64_t ends_ns)
{
	struct call_span span;

	assert_true(deep_events__call(deep, TID, from_ns, to_ns, &span));
	assert_int_equal(span.number, number);
	assert_int_equal(span.from_ns, begins_ns);
	assert_int_equal(span.to_ns, ends_ns);
}

static void assert_no_call(struct deep_events *deep, uint64_t from_ns, uint64_t to_ns)
{
	struct call_span span;

	assert_false(deep_events__call(deep, TID, from_ns, to_ns, &span));
}

TEST(a_call_is_cut_at_the_ends_of_the_time)
{
	was_in(*state, TID, CLONE, 1000, 2000);
	assert_call(*state, 500, 3000, CLONE, 1000, 2000);
	assert_call(*state, 1200, 1300, CLONE, 1200, 1300);
	assert_call(*state, 1999, 3000, CLONE, 1999, 2000);
	assert_call(*state, 500, 1001, CLONE, 1000, 1001);
}

TEST(a_call_that_only_touches_the_time_is_not_in_it)
{
	was_in(*state, TID, CLONE, 1000, 2000);
	assert_no_call(*state, 500, 1000);
	assert_no_call(*state, 2000, 3000);
	assert_no_call(*state, 2500, 3000);
}

TEST(the_first_of_several_calls_comes_first)
{
	was_in(*state, TID, FSYNC, 3000, 4000);
	was_in(*state, TID, CLONE, 1000, 2000);
	was_in(*state, OTHER, CLONE, 100, 9000);
	assert_call(*state, 0, 9000, CLONE, 1000, 2000);
	assert_call(*state, 2000, 9000, FSYNC, 3000, 4000);
	assert_no_call(*state, 4000, 9000);
	assert_int_equal(deep_events__cnt(*state), 3);
	deep_events__trim(*state, 2500);
	assert_call(*state, 0, 9000, FSYNC, 3000, 4000);
}

/* A forged recording. */
TEST(a_call_that_ends_before_it_begins_is_none)
{
	was_in(*state, TID, CLONE, 2000, 1000);
	assert_no_call(*state, 0, 9000);
}

static void had_faults(struct deep_events *deep, uint64_t from_ns, uint64_t to_ns, uint32_t minor,
		       uint32_t major)
{
	const struct record_faults faults = {
		.head = record_head(RECORD_FAULTS, sizeof(faults), 0, TID),
		.minor = minor,
		.major = major,
		.from_ns = from_ns,
		.to_ns = to_ns,
	};

	assert_int_equal(deep_events__add(deep, &faults.head), 0);
}

/* A time is cut into pieces: each count has to be in one of them, and in no more than one. */
TEST(faults_count_where_their_time_begins)
{
	struct fault_count found;

	had_faults(*state, 1000, 1500, 30, 0);
	had_faults(*state, 2000, 2500, 4, 1);
	found = deep_events__faults(*state, TID, 1000, 2000);
	assert_int_equal(found.minor, 30);
	assert_int_equal(found.major, 0);
	found = deep_events__faults(*state, TID, 2000, 2001);
	assert_int_equal(found.minor, 4);
	assert_int_equal(found.major, 1);
	assert_int_equal(deep_events__faults(*state, TID, 0, 1000).minor, 0);
	assert_int_equal(deep_events__faults(*state, TID, 0, 9000).minor, 34);
	assert_int_equal(deep_events__faults(*state, OTHER, 0, 9000).minor, 0);
}

TEST(the_time_in_which_memory_is_freed_is_no_call)
{
	const struct record_reclaim reclaim = {
		.head = record_head(RECORD_RECLAIM, sizeof(reclaim), 0, TID),
		.from_ns = 1000,
		.to_ns = 2000,
	};
	struct call_span span;

	assert_int_equal(deep_events__add(*state, &reclaim.head), 0);
	assert_no_call(*state, 500, 3000);
	assert_true(deep_events__reclaim(*state, TID, 1500, 3000, &span));
	assert_int_equal(span.from_ns, 1500);
	assert_int_equal(span.to_ns, 2000);
	assert_false(deep_events__reclaim(*state, TID, 2000, 3000, &span));
}
