/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and removes the control group of ipctrace's own threads, in cgroup v1 or v2. */
#include "command/live/yield/cpu_group.h"

#include "util/cgroup.h"
#include "util/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BEGIN "ipctrace-"

#define FOLDER_LEN CGROUP_LEN

struct cpu_group {
	char folder[FOLDER_LEN];
	char home[FOLDER_LEN]; /* the group that the thread comes from */
	bool is_v2;
};

static bool write_text(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	ssize_t written;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text));
	close(fd);
	return written == (ssize_t)strlen(text);
}

static const char *member_file(const struct cpu_group *group)
{
	return group->is_v2 ? "cgroup.procs" : "tasks";
}

/*
 * Moves the caller. With cgroup v1, a thread that moves itself, as 0, needs no lock on all forks of
 * the machine, which the kernel would wait for (cgroup_procs_write_start).
 */
static bool move_to(const struct cpu_group *group, const char *folder)
{
	return write_text(folder, member_file(group), "0");
}

/* Whether the caller can come back. */
static bool can_move_to(const struct cpu_group *group, const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, member_file(group));
	return !access(path, W_OK);
}

/* NAME_BEGIN and a number. */
static bool is_own_name(const char *name)
{
	size_t begin = strlen(NAME_BEGIN);

	return !strncmp(name, NAME_BEGIN, begin) && name[begin] &&
	       strspn(name + begin, "0123456789") == strlen(name + begin);
}

/* A group in which a process lives cannot be removed. */
static void remove_left_behind(const char *folder)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		if (!is_own_name(entry->d_name))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < PATH_MAX)
			rmdir(path);
	}
	if (dir)
		closedir(dir);
}

static bool make_and_join(struct cpu_group *group, const char *parent, pid_t tid)
{
	int length =
		snprintf(group->folder, sizeof(group->folder), "%s/" NAME_BEGIN "%d", parent, tid);

	if (length >= FOLDER_LEN || mkdir(group->folder, 0755))
		return false;
	if (move_to(group, group->folder))
		return true;
	rmdir(group->folder);
	return false;
}

/* The group that the caller is in. */
static bool find_home(const char *root, struct cpu_group *group, struct cgroup_place *place)
{
	if (!cgroup_find_cpu(root, place) || !cgroup_find_group(root, "self", place))
		return false;
	group->is_v2 = place->is_v2;
	return snprintf(group->home, FOLDER_LEN, "%s%s%s", root, place->mount, place->group) <
	       FOLDER_LEN;
}

struct cpu_group *cpu_group__join(const char *root, pid_t tid)
{
	struct cpu_group *group = calloc(1, sizeof(*group));
	struct cgroup_place place;
	char parent[PATH_MAX];

	if (!group)
		return NULL;
	if (find_home(root, group, &place) && can_move_to(group, group->home)) {
		snprintf(parent, sizeof(parent), "%s%s", root, place.mount);
		remove_left_behind(parent);
		if (make_and_join(group, parent, tid))
			return group;
	}
	free(group);
	return NULL;
}

bool cpu_group__set_idle(struct cpu_group *group, bool idle)
{
	bool has_idle = write_text(group->folder, "cpu.idle", idle ? "1" : "0");

	if (idle && has_idle)
		return true;
	if (group->is_v2)
		return write_text(group->folder, "cpu.weight", idle ? "1" : "10000");
	return write_text(group->folder, "cpu.shares", idle ? "2" : "262144");
}

void cpu_group__leave(struct cpu_group *group)
{
	if (!group)
		return;
	if (!move_to(group, group->home) || rmdir(group->folder))
		log_info("the control group of the reader of records stays: '%s': %s",
			 group->folder, strerror(errno));
	free(group);
}
