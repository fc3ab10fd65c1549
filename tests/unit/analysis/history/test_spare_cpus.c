/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU that was idle while a thread waited for another one. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

enum { TID = 7, OTHER = 8 };

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static void waited(struct deep_events *deep, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		   uint32_t cpu, bool is_allowed)
{
	const struct record_spare spare = {
		.head = record_head(RECORD_SPARE, sizeof(spare), 1, tid),
		.cpu = cpu,
		.is_allowed = is_allowed,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.idle_ns = to_ns - from_ns,
	};

	assert_int_equal(deep_events__add(deep, &spare.head), 0);
}

static void assert_spare(struct deep_events *deep, uint64_t at_ns, uint32_t cpu, bool is_allowed)
{
	struct spare_cpu spare;

	assert_true(deep_events__spare(deep, TID, at_ns, &spare));
	assert_int_equal(spare.cpu, cpu);
	assert_int_equal(spare.is_allowed, is_allowed);
}

static void assert_none(struct deep_events *deep, uint64_t at_ns)
{
	struct spare_cpu spare;

	assert_false(deep_events__spare(deep, TID, at_ns, &spare));
}

TEST(a_wait_has_the_cpu_from_its_begin_to_its_end)
{
	struct deep_events *deep = *state;

	waited(deep, TID, 1000, 2000, 3, false);
	assert_none(deep, 999);
	assert_spare(deep, 1000, 3, false);
	assert_spare(deep, 1999, 3, false);
	assert_none(deep, 2000);
}

TEST(each_wait_has_its_own)
{
	struct deep_events *deep = *state;

	waited(deep, OTHER, 1000, 9000, 5, true);
	waited(deep, TID, 4000, 5000, 2, true); /* not in the order of time */
	waited(deep, TID, 1000, 2000, 3, false);
	assert_spare(deep, 1500, 3, false);
	assert_none(deep, 3000);
	assert_spare(deep, 4500, 2, true);
}

TEST(old_waits_are_forgotten)
{
	struct deep_events *deep = *state;

	waited(deep, TID, 1000, 2000, 3, false);
	waited(deep, TID, 4000, 5000, 2, true);
	assert_int_equal(deep_events__cnt(deep), 2);
	deep_events__trim(deep, 3000);
	assert_spare(deep, 4500, 2, true);
	assert_int_equal(deep_events__cnt(deep), 1);
}
