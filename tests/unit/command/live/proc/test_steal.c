/* SPDX-License-Identifier: BSD-2-Clause */
/* The time that the host took, from prepared files. */
#include "support/build.h"

#include "command/live/proc/steal.h"
#include "support/machine.h"

#include <unistd.h>

static struct record_steal seen[8];
static size_t seen_cnt;

static int put(void *ctx, const struct record *record)
{
	assert_int_equal(record->type, RECORD_STEAL);
	seen[seen_cnt++] = *(const struct record_steal *)record;
	return 0;
}

static void trace(const char *before, const char *after)
{
	struct steal *steal;

	seen_cnt = 0;
	assert_int_equal(machine_put("/proc/stat", before), 0);
	steal = steal__begin(machine_root());
	assert_non_null(steal);
	assert_int_equal(machine_put("/proc/stat", after), 0);
	assert_int_equal(steal__end(steal, machine_root(), put, NULL), 0);
	steal__free(steal);
}

static uint64_t ms_of(size_t i)
{
	return seen[i].steal_ns / 1000000;
}

EACH_TEST(machine_make, machine_remove)

TEST(each_cpu_has_what_was_added_meanwhile)
{
	trace("cpu  9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 10 8 9\n"
	      "cpu1 1 2 3 4 5 6 7 20 8 9\nintr 7 8\n",
	      "cpu  9 9 9 9 9 9 9 35 0 0\ncpu0 1 2 3 4 5 6 7 10 8 9\n"
	      "cpu1 1 2 3 4 5 6 7 25 8 9\nintr 7 8\n");
	assert_int_equal(seen_cnt, 2);
	assert_int_equal(seen[0].head.cpu, 0);
	assert_int_equal(ms_of(0), 0);
	assert_int_equal(seen[1].head.cpu, 1);
	assert_int_equal(ms_of(1), 5 * 1000 / sysconf(_SC_CLK_TCK));
	assert_true(seen[1].span_ns > 0);
}

/* A host that does not report steal shows 0: that is no measurement. */
TEST(without_any_steal_nothing_is_known)
{
	trace("cpu0 1 2 3 4 5 6 7 0 8 9\n", "cpu0 2 3 4 5 6 7 8 0 9 9\n");
	assert_int_equal(seen_cnt, 0);
	trace("cpu0 1 2 3 4 5 6 7\n", "cpu0 2 3 4 5 6 7 8\n");
	assert_int_equal(seen_cnt, 0);
}

TEST(a_cpu_that_was_away_is_not_known)
{
	trace("cpu0 1 2 3 4 5 6 7 10 8 9\ncpu2 1 2 3 4 5 6 7 10 8 9\n",
	      "cpu0 1 2 3 4 5 6 7 12 8 9\ncpu1 1 2 3 4 5 6 7 12 8 9\n");
	assert_int_equal(seen_cnt, 1);
	assert_int_equal(seen[0].head.cpu, 0);
}

/* Some kernels let it go back by a tick. */
TEST(less_than_before_is_not_known)
{
	trace("cpu0 1 2 3 4 5 6 7 10 8 9\n", "cpu0 1 2 3 4 5 6 7 9 8 9\n");
	assert_int_equal(seen_cnt, 0);
}

TEST(without_the_file_nothing_is_known)
{
	assert_null(steal__begin("/nowhere"));
	assert_int_equal(steal__end(NULL, "/nowhere", put, NULL), 0);
	steal__free(NULL);
}
