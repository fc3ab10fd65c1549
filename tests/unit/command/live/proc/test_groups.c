/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of throttled threads, in prepared folders. */
#include "support/build.h"
#include "support/machine.h"

#include "bpf/deep.h"
#include "command/live/proc/groups.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SECOND    1000000000ULL

#define V1_MOUNTS "32 31 0:29 / /cg/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V2_MOUNTS "41 31 0:38 / /cg/two rw - cgroup2 cgroup2 rw\n"

static struct groups *groups;
static struct record_group last;
static int put_cnt;

static void put(const char *path, const char *text)
{
	assert_int_equal(machine_put(path, text), 0);
}

static int setup(void **state)
{
	put_cnt = 0;
	return machine_make(state);
}

static int teardown(void **state)
{
	groups__free(groups);
	groups = NULL;
	return machine_remove(state);
}

EACH_TEST(setup, teardown)

static int keep(void *ctx, const struct record *record)
{
	assert_int_equal(record->type, RECORD_GROUP);
	last = *(const struct record_group *)record;
	put_cnt++;
	return ctx ? -ENOSPC : 0;
}

static void begin(const char *mounts)
{
	put("/proc/self/mountinfo", mounts);
	put("/cg/two/cgroup.subtree_control", "cpuset cpu io\n");
	groups = groups__new(machine_root());
	assert_non_null(groups);
}

static void see(uint32_t tid, uint64_t change)
{
	struct {
		struct record_changes record;
		uint64_t change[2];
	} changes = {
		.record.head = {.type = RECORD_CHANGES, .words = sizeof(changes) / 8, .tid = tid},
		.change = {PREEMPT(1, 0), change}};

	groups__see(groups, &changes.record.head);
}

static void read_at(uint64_t now_ns)
{
	assert_int_equal(groups__read(groups, now_ns, keep, NULL), 0);
}

TEST(the_nearest_group_with_a_quota_is_recorded)
{
	begin(V2_MOUNTS);
	put("/proc/71/cgroup", "1:name=systemd:/x\n0::/web.slice/app/inner\n");
	put("/cg/two/web.slice/cpu.max", "50000 100000\n");
	put("/cg/two/web.slice/app/cpu.max", "20000 100000\n");
	put("/cg/two/web.slice/app/inner/cpu.max", "max 100000\n");
	see(71, THROTTLE(2, 0));
	read_at(5 * SECOND);
	assert_int_equal(put_cnt, 1);
	assert_int_equal(last.head.tid, 71);
	assert_int_equal(last.since_ns, 5 * SECOND);
	assert_string_equal(last.text, "/web.slice/app");
}

TEST(v1_has_another_file)
{
	begin(V1_MOUNTS);
	put("/proc/71/cgroup", "2:cpu,cpuacct:/web/app\n0::/elsewhere\n");
	put("/cg/cpu/web/cpu.cfs_quota_us", "20000\n");
	put("/cg/cpu/web/app/cpu.cfs_quota_us", "-1\n");
	see(71, THROTTLE(2, 0));
	read_at(SECOND);
	assert_string_equal(last.text, "/web");
}

TEST(without_a_quota_that_can_be_read_it_is_the_own_group)
{
	begin(V2_MOUNTS);
	put("/proc/71/cgroup", "0::/web.slice/app\n");
	see(71, THROTTLE(2, 0));
	read_at(SECOND);
	assert_string_equal(last.text, "/web.slice/app");
}

TEST(only_threads_that_were_throttled_are_read)
{
	begin(V2_MOUNTS);
	put("/proc/71/cgroup", "0::/a\n");
	see(71, WAKE(2, 0));
	see(TID_OUTSIDE | 71, THROTTLE(2, 0));
	see(72, THROTTLE(2, 0)); /* it has ended */
	read_at(SECOND);
	assert_int_equal(put_cnt, 0);
}

TEST(a_group_is_read_again_after_a_second)
{
	begin(V2_MOUNTS);
	put("/proc/71/cgroup", "0::/a\n");
	for (int i = 0; i < 5; i++)
		see(71, THROTTLE(2, 0));
	read_at(5 * SECOND);
	read_at(5 * SECOND);
	put("/proc/71/cgroup", "0::/b\n");
	see(71, THROTTLE(3, 0));
	read_at(6 * SECOND - 1);
	assert_int_equal(put_cnt, 1);
	see(71, THROTTLE(4, 0));
	read_at(6 * SECOND);
	assert_int_equal(put_cnt, 2);
	assert_string_equal(last.text, "/b");
}

TEST(the_end_of_a_long_path_is_kept)
{
	char line[300] = "0::/", *end = line + 4;

	begin(V2_MOUNTS);
	memset(end, 'x', 200);
	strcpy(end + 200, "/unit\n");
	put("/proc/71/cgroup", line);
	see(71, THROTTLE(2, 0));
	read_at(SECOND);
	assert_int_equal(strlen(last.text), GROUP_LEN - 1);
	assert_string_equal(last.text + GROUP_LEN - 1 - 6, "x/unit");
}

TEST(a_drain_reads_so_many_and_goes_on_next_time)
{
	begin(V2_MOUNTS);
	for (uint32_t tid = 1; tid <= 100; tid++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%u/cgroup", tid);
		put(path, "0::/a\n");
		see(tid, THROTTLE(2, 0));
	}
	read_at(SECOND);
	assert_int_equal(put_cnt, 64);
	read_at(SECOND);
	assert_int_equal(put_cnt, 100);
}

TEST(a_failed_put_is_returned)
{
	begin(V2_MOUNTS);
	put("/proc/71/cgroup", "0::/a\n");
	see(71, THROTTLE(2, 0));
	assert_int_equal(groups__read(groups, SECOND, keep, groups), -ENOSPC);
}

TEST(without_the_controller_nothing_is_read)
{
	begin("33 31 0:30 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct\n");
	put("/proc/71/cgroup", "0::/a\n");
	see(71, THROTTLE(2, 0));
	read_at(SECOND);
	assert_int_equal(put_cnt, 0);
}
