/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the control group of a thread in the hierarchy of the cpu controller, with cgroup v1 or v2.
 * The parameter `root` is a prefix for every path, as in read_file.h.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Longer paths are refused: the names of a group and of a file must still fit behind them. */
#define CGROUP_LEN (PATH_MAX - 64)

struct cgroup_place {
	char mount[CGROUP_LEN]; /* the folder of the hierarchy, without `root` */
	char group[CGROUP_LEN]; /* in it: begins with "/" */
	bool is_v2;
};

/* Fills in `mount` and `is_v2`. False: no hierarchy of this machine has the cpu controller. */
bool cgroup_find_cpu(const char *root, struct cgroup_place *place);

/*
 * Fills in `group`. `thread` is a thread or process as in /proc: "self", "4711". False: not known.
 */
bool cgroup_find_group(const char *root, const char *thread, struct cgroup_place *place);

/*
 * Shortens `group` to the nearest group above, or itself, that has a CPU quota. False, and
 * unchanged: none that can be read has one.
 */
bool cgroup_find_quota(const char *root, struct cgroup_place *place);
