/* SPDX-License-Identifier: BSD-2-Clause */
/* Which threads are one culprit. */
#include "support/build.h"

#include "explain/culprits.h"

#include <string.h>

EACH_TEST_HAS(*state, culprits__new(), culprits__free)

static int64_t number_of(void **state, uint32_t tid, const char *comm, enum cause_reason reason)
{
	struct cause cause = {
		.cost = COMPONENT_RUNQUEUE,
		.role = CAUSE_RAN,
		.reason = reason,
		.by = {.class = BLAME_TASK, .kind = SLICE_TASK, .tid = tid, .priority = 120},
	};

	strncpy(cause.by.comm, comm, sizeof(cause.by.comm) - 1);
	return culprits__find(*state, &cause);
}

TEST(threads_that_were_woken_in_vain_are_one_without_their_numbers)
{
	int64_t worker = number_of(state, 7, "worker-7", REASON_IN_VAIN);

	assert_int_equal(number_of(state, 12, "worker-12", REASON_IN_VAIN), worker);
	assert_int_not_equal(number_of(state, 7, "walker-7", REASON_IN_VAIN), worker);
	assert_string_equal(culprits__blame(*state, (uint32_t)worker).comm, "worker-*");
}

/* The same thread, which has done something the next time. */
TEST(others_keep_their_numbers)
{
	int64_t worker = number_of(state, 7, "worker-7", REASON_IN_VAIN);

	assert_int_not_equal(number_of(state, 7, "worker-7", REASON_NONE), worker);
	assert_int_not_equal(number_of(state, 12, "worker-12", REASON_NONE),
			     number_of(state, 7, "worker-7", REASON_NONE));
	assert_int_equal(number_of(state, 7, "worker-7", REASON_IN_VAIN), worker);
}

TEST(names_that_are_numbers_or_have_none_stay)
{
	int64_t plain = number_of(state, 7, "server", REASON_IN_VAIN);
	int64_t digits = number_of(state, 8, "4711", REASON_IN_VAIN);

	assert_string_equal(culprits__blame(*state, (uint32_t)plain).comm, "server");
	assert_string_equal(culprits__blame(*state, (uint32_t)digits).comm, "4711");
}
