/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the control groups of threads from /proc, and their CPU quotas from the cgroup folders. */
#include "util/cgroup.h"

#include "util/read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool line_fn(const char *root, struct cgroup_place *place, char *line);

static bool has_word(const char *text, const char *separators, const char *wanted)
{
	char copy[FILE_LINE_LEN], *at = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, separators, &at); word;
	     word = strtok_r(NULL, separators, &at)) {
		if (!strcmp(word, wanted))
			return true;
	}
	return false;
}

/* Whether groups below this folder of cgroup v2 have the cpu controller. */
static bool distributes_cpu(const char *root, const char *mount)
{
	char path[PATH_MAX], line[FILE_LINE_LEN];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", mount);
	return read_line(root, path, line, sizeof(line)) && has_word(line, " ", "cpu");
}

/*
 * A line of mountinfo (proc(5)): number, parent, device, root, mount point, options, optional
 * fields, "-", type, source, super options. Whether it is the hierarchy of the cpu controller.
 */
static bool is_cpu_mount(const char *root, struct cgroup_place *place, char *line)
{
	char type[32], options[FILE_LINE_LEN], format[64];
	const char *end = strstr(line, " - ");

	snprintf(format, sizeof(format), "%%*s %%*s %%*s %%*s %%%ds", CGROUP_LEN - 1);
	if (!end || sscanf(line, format, place->mount) != 1 ||
	    sscanf(end, " - %31s %*s %511s", type, options) != 2)
		return false;
	place->is_v2 = !strcmp(type, "cgroup2");
	if (place->is_v2)
		return distributes_cpu(root, place->mount);
	return !strcmp(type, "cgroup") && has_word(options, ",", "cpu");
}

/*
 * A line of /proc/PID/cgroup: "number:controllers:group", and "0::group" for cgroup v2. Whether it
 * is of the same hierarchy.
 */
static bool is_cpu_group(const char *root, struct cgroup_place *place, char *line)
{
	char *controllers = strchr(line, ':'), *group;

	(void)root;
	group = controllers ? strchr(++controllers, ':') : NULL;
	if (!group)
		return false;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	return (place->is_v2 ? !controllers[0] : has_word(controllers, ",", "cpu")) &&
	       snprintf(place->group, CGROUP_LEN, "%s", group) < CGROUP_LEN;
}

/* Whether one of the lines of the file is what is searched. */
static bool find_line(const char *root, const char *thread, const char *name, line_fn *is_it,
		      struct cgroup_place *place)
{
	char path[PATH_MAX], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%s/%s", root, thread, name);
	file = fopen(path, "re");
	while (file && !found && getline(&line, &size, file) > 0)
		found = is_it(root, place, line);
	if (file)
		fclose(file);
	free(line);
	return found;
}

bool cgroup_find_cpu(const char *root, struct cgroup_place *place)
{
	return find_line(root, "self", "mountinfo", is_cpu_mount, place);
}

bool cgroup_find_group(const char *root, const char *thread, struct cgroup_place *place)
{
	return find_line(root, thread, "cgroup", is_cpu_group, place);
}

/* "max 100000" or -1: none. */
static bool has_quota(const char *root, const struct cgroup_place *place, const char *group)
{
	const char *name = place->is_v2 ? "cpu.max" : "cpu.cfs_quota_us";
	char path[2 * PATH_MAX];
	long long quota;

	snprintf(path, sizeof(path), "%s%s/%s", place->mount, group, name);
	return read_number(root, path, &quota) && quota > 0;
}

bool cgroup_find_quota(const char *root, struct cgroup_place *place)
{
	char group[CGROUP_LEN], *end;

	snprintf(group, sizeof(group), "%s", place->group);
	while (!has_quota(root, place, group)) {
		end = strrchr(group, '/');
		if (!end || !group[0])
			return false;
		*end = '\0';
	}
	snprintf(place->group, CGROUP_LEN, "%s", group);
	return true;
}
