/* SPDX-License-Identifier: BSD-2-Clause */
/* Which memory limit is named, and which remedy. */
#include "support/test.h"

#include "util/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <ftw.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int make_root(void **state)
{
	snprintf(root, sizeof(root), "/tmp/test-ipctrace-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
	return remove(path);
}

static int remove_root(void **state)
{
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

EACH_TEST(make_root, remove_root)

/* Makes a file below the root, with its folders. */
static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const struct memory_limits none = {MEMORY_UNLIMITED, MEMORY_UNLIMITED, MEMORY_UNLIMITED, ""};

static void assert_remedy(const struct memory_limits *limits, const char *expected)
{
	char text[MEMORY_REMEDY_LEN];

	memory_limits_remedy(limits, text);
	assert_string_equal(text, expected);
}

TEST_WITH(without_a_limit_the_machine_is_too_small, NULL, NULL)
{
	assert_remedy(&none, "this machine has too little: end other programs");
}

TEST_WITH(each_limit_has_its_name_and_how_it_is_raised, NULL, NULL)
{
	struct memory_limits limits = none;

	limits.data = 4096;
	assert_remedy(&limits, "raise the limit of 4 KiB of data (RLIMIT_DATA, ulimit -d)");
	limits.addresses = 100000 << 10;
	limits.data = MEMORY_UNLIMITED;
	limits.cgroup = 1 << 20;
	snprintf(limits.cgroup_path, sizeof(limits.cgroup_path), "/sys/fs/cgroup/a/memory.max");
	assert_remedy(&limits, "raise the limit of 100000 KiB of addresses (RLIMIT_AS, ulimit -v) "
			       "or 1024 KiB of its control group (/sys/fs/cgroup/a/memory.max)");
}

/* Far more than a sanitizer uses itself. */
#define DATA (1ull << 60)

TEST(the_limits_of_this_process_are_read)
{
	struct rlimit before, data = {.rlim_cur = DATA, .rlim_max = RLIM_INFINITY};
	struct memory_limits limits;

	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	data.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_DATA, &data), 0);
	memory_limits_read(root, &limits);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
	assert_int_equal(limits.data, DATA);
	assert_true(limits.cgroup == MEMORY_UNLIMITED);
}

static void assert_cgroup(uint64_t bytes, const char *path)
{
	struct memory_limits limits;

	memory_limits_read(root, &limits);
	assert_int_equal(limits.cgroup, bytes);
	assert_string_equal(limits.cgroup_path, path);
}

TEST(the_least_limit_of_the_groups_above_counts)
{
	put("/proc/self/cgroup", "0::/user/one\n");
	put("/sys/fs/cgroup/user/one/memory.max", "max\n");
	assert_cgroup(MEMORY_UNLIMITED, "");
	put("/sys/fs/cgroup/user/memory.max", "2097152\n");
	assert_cgroup(2 << 20, "/sys/fs/cgroup/user/memory.max");
	put("/sys/fs/cgroup/user/one/memory.max", "4194304\n");
	assert_cgroup(2 << 20, "/sys/fs/cgroup/user/memory.max");
	put("/sys/fs/cgroup/user/one/memory.max", "1048576\n");
	assert_cgroup(1 << 20, "/sys/fs/cgroup/user/one/memory.max");
}

TEST(a_namespace_of_groups_begins_at_its_root)
{
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "1048576\n");
	assert_cgroup(1 << 20, "/sys/fs/cgroup/memory.max");
}

TEST(so_it_is_with_groups_of_version_1)
{
	put("/proc/self/cgroup", "3:cpu,cpuacct:/c\n2:memory:/a/b\n0::/a\n");
	put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	assert_cgroup(MEMORY_UNLIMITED, "");
	put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3145728\n");
	assert_cgroup(3 << 20, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes");
}

TEST(what_is_no_group_is_passed_over)
{
	put("/proc/self/cgroup", "\n:\n0:\n0::\n0::relative\nnonsense\n");
	put("/sys/fs/cgroup/memory.max", "1048576\n");
	assert_cgroup(MEMORY_UNLIMITED, "");
}
