/* SPDX-License-Identifier: BSD-2-Clause */
/* How many threads each unit wakes in vain. */
#include "support/build.h"

#include "explain/vain.h"

enum { ACCEPT = 43, EPOLL_WAIT = 232, READ = 0 };

static struct vain vain;

static int vain_clean(void **state)
{
	(void)state;
	vain = (struct vain){0};
	return 0;
}

EACH_TEST(NULL, vain_clean)

static void add_wakes(uint32_t wakes, uint64_t cpu_ns, uint32_t call, bool in_poll)
{
	const struct unit unit = {
		.vain = {.wakes = wakes, .cpu_ns = cpu_ns, .call = call, .in_poll = in_poll}};

	vain_add(&vain, &unit);
}

TEST(the_mean_is_of_all_units_with_wakes_or_without)
{
	struct explain_vain mean;

	add_wakes(40, 8000, ACCEPT, false);
	add_wakes(20, 4000, ACCEPT, false);
	add_wakes(0, 0, 0, false);
	mean = vain_finish(&vain);
	assert_true(mean.wakes == 20);
	assert_true(mean.cpu_ns == 4000);
	assert_int_equal(mean.call, ACCEPT);
}

TEST(without_wakes_there_is_no_mean)
{
	assert_true(vain_finish(&vain).wakes == 0);
	add_wakes(0, 0, 0, false);
	assert_true(vain_finish(&vain).wakes == 0);
}

TEST(the_call_of_most_units_is_named)
{
	add_wakes(1, 1, READ, false);
	add_wakes(1, 1, ACCEPT, false);
	add_wakes(1, 1, ACCEPT, false);
	assert_int_equal(vain_finish(&vain).call, ACCEPT);
}

/* However many wakes the kernel alone has seen. */
TEST(a_call_of_the_program_is_named_before_the_one_that_polls)
{
	add_wakes(9, 9, EPOLL_WAIT, true);
	add_wakes(9, 9, EPOLL_WAIT, true);
	assert_int_equal(vain_finish(&vain).call, EPOLL_WAIT);
	add_wakes(9, 9, ACCEPT, false);
	add_wakes(9, 9, EPOLL_WAIT, true);
	add_wakes(9, 9, EPOLL_WAIT, true);
	assert_int_equal(vain_finish(&vain).call, ACCEPT);
	assert_true(vain_finish(&vain).wakes == 9);
}
