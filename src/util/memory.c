/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the memory limits of this process from its resource limits and its control groups. */
#include "util/memory.h"

#include "util/read_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define CGROUPS "/sys/fs/cgroup"

/* A thread's stack and a reserve. */
#define SHORT_OF ((size_t)16 << 20)

/* Version 1, where the memory controller has its own hierarchy, and version 2. */
static const struct hierarchy {
	const char *folder;
	const char *limit;
} hierarchies[] = {
	{CGROUPS "/memory", "memory.limit_in_bytes"},
	{CGROUPS, "memory.max"},
};

/* "No limit" is a word in version 2, and the largest whole number of pages in version 1. */
static uint64_t read_limit(const char *root, const char *path)
{
	long long limit;
	bool is_limited = read_number(root, path, &limit) && limit < LLONG_MAX / 2;

	return is_limited ? (uint64_t)limit : MEMORY_UNLIMITED;
}

/* Visits the group and all its ancestors: "/a/b", "/a" and "". Shortens `group`. */
static void look_upwards(const char *root, const struct hierarchy *hierarchy, char *group,
			 struct memory_limits *limits)
{
	char path[MEMORY_PATH_LEN];
	uint64_t limit;

	if (!strcmp(group, "/"))
		*group = '\0';
	for (;;) {
		snprintf(path, sizeof(path), "%s%s/%s", hierarchy->folder, group, hierarchy->limit);
		limit = read_limit(root, path);
		if (limit < limits->cgroup) {
			limits->cgroup = limit;
			snprintf(limits->cgroup_path, sizeof(limits->cgroup_path), "%s", path);
		}
		if (!*group)
			return;
		*strrchr(group, '/') = '\0';
	}
}

/* A line of /proc/self/cgroup is NUMBER:CONTROLLERS:GROUP. Version 2 lists no controllers. */
static void read_cgroups(const char *root, struct memory_limits *limits)
{
	char path[MEMORY_PATH_LEN], line[MEMORY_PATH_LEN];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group || group[1] != '/')
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!strcmp(controllers, ":memory"))
			look_upwards(root, &hierarchies[0], group, limits);
		else if (!strcmp(controllers, ":"))
			look_upwards(root, &hierarchies[1], group, limits);
	}
	if (file)
		fclose(file);
}

static uint64_t own_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return MEMORY_UNLIMITED;
	return limit.rlim_cur;
}

void memory_limits_read(const char *root, struct memory_limits *limits)
{
	*limits = (struct memory_limits){
		.addresses = own_limit(RLIMIT_AS),
		.data = own_limit(RLIMIT_DATA),
		.cgroup = MEMORY_UNLIMITED,
	};
	read_cgroups(root, limits);
}

void memory_limits_remedy(const struct memory_limits *limits, char text[MEMORY_REMEDY_LEN])
{
	const struct {
		uint64_t bytes;
		const char *what, *where;
	} limit[] = {
		{limits->addresses, "of addresses", "RLIMIT_AS, ulimit -v"},
		{limits->data, "of data", "RLIMIT_DATA, ulimit -d"},
		{limits->cgroup, "of its control group", limits->cgroup_path},
	};
	size_t at = 0;

	snprintf(text, MEMORY_REMEDY_LEN, "this machine has too little: end other programs");
	for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++) {
		if (limit[i].bytes == MEMORY_UNLIMITED)
			continue;
		at += snprintf(text + at, MEMORY_REMEDY_LEN - at, "%s%llu KiB %s (%s)",
			       at ? " or " : "raise the limit of ",
			       (unsigned long long)limit[i].bytes / 1024, limit[i].what,
			       limit[i].where);
	}
}

const char *memory_remedy(char text[MEMORY_REMEDY_LEN])
{
	struct memory_limits limits;

	memory_limits_read("", &limits);
	memory_limits_remedy(&limits, text);
	return text;
}

bool memory_is_short(void)
{
	void *memory =
		mmap(NULL, SHORT_OF, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return true;
	munmap(memory, SHORT_OF);
	return false;
}
