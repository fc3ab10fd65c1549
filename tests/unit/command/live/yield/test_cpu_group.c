/* SPDX-License-Identifier: BSD-2-Clause */
/* The control group of the reader, in prepared folders: an ordinary folder needs no kernel. */
#include "support/build.h"
#include "support/machine.h"

#include "command/live/yield/cpu_group.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define TID 4711

#define V1_MOUNTS                                                                                  \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                                        \
	"33 31 0:30 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct\n"                                 \
	"32 31 0:29 / /cg/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
#define V2_MOUNTS "41 31 0:38 / /cg/two rw - cgroup2 cgroup2 rw\n"

static void put(const char *path, const char *text)
{
	assert_int_equal(machine_put(path, text), 0);
}

static bool exists(const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", machine_root(), path);
	return !access(full, F_OK);
}

/* The folder of a file that is removed again. */
static void make_folder(const char *path)
{
	char full[PATH_MAX], file[128];

	snprintf(file, sizeof(file), "%s/file", path);
	put(file, "x");
	snprintf(full, sizeof(full), "%s%s", machine_root(), file);
	assert_int_equal(unlink(full), 0);
}

EACH_TEST(machine_make, machine_remove)

TEST(nothing_is_changed_without_the_controller)
{
	put("/proc/self/mountinfo", "33 31 0:30 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct\n");
	put("/proc/self/cgroup", "2:cpuacct:/\n");
	assert_null(cpu_group__join(machine_root(), TID));
}

TEST(a_v2_root_that_keeps_the_controller_has_no_groups_for_it)
{
	put("/proc/self/mountinfo", V2_MOUNTS);
	put("/proc/self/cgroup", "0::/user\n");
	put("/cg/two/cgroup.subtree_control", "cpuset io memory\n");
	assert_null(cpu_group__join(machine_root(), TID));
	assert_false(exists("/cg/two/ipctrace-4711"));
}

TEST(a_group_without_a_way_back_is_not_joined)
{
	put("/proc/self/mountinfo", V1_MOUNTS);
	put("/proc/self/cgroup", "1:cpu:/home\n");
	make_folder("/cg/cpu/ipctrace-9");
	assert_null(cpu_group__join(machine_root(), TID));
	assert_true(exists("/cg/cpu/ipctrace-9"));
}

/* In an ordinary folder a group has no file to write the thread's number to. */
TEST(a_group_that_cannot_be_joined_is_removed)
{
	put("/proc/self/mountinfo", V2_MOUNTS);
	put("/proc/self/cgroup", "0::/user\n");
	put("/cg/two/cgroup.subtree_control", "cpuset cpu io\n");
	put("/cg/two/user/cgroup.procs", "4711\n");
	assert_null(cpu_group__join(machine_root(), TID));
	assert_false(exists("/cg/two/ipctrace-4711"));
}

/* A group of a killed program is empty; one of a living program cannot be removed. */
TEST(empty_groups_of_earlier_programs_are_removed)
{
	put("/proc/self/mountinfo", V1_MOUNTS);
	put("/proc/self/cgroup", "2:cpuacct:/\n1:cpu:/home\n");
	put("/cg/cpu/home/tasks", "4711\n");
	put("/cg/cpu/ipctrace-8/tasks", "8\n");
	make_folder("/cg/cpu/ipctrace-9");
	make_folder("/cg/cpu/ipctrace-tests");
	make_folder("/cg/cpu/other");
	assert_null(cpu_group__join(machine_root(), TID));
	assert_true(exists("/cg/cpu/ipctrace-8"));
	assert_false(exists("/cg/cpu/ipctrace-9"));
	assert_true(exists("/cg/cpu/ipctrace-tests"));
	assert_true(exists("/cg/cpu/other"));
}
