/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and removes the control group of ipctrace's own threads, in cgroup v1 or v2. */
#include "command/yield/cpu_group.h"

#include "util/log.h"
#include "util/read_file.h"

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

/* Longer paths are refused: the name of the group and of a file must still fit behind them. */
#define FOLDER_LEN (PATH_MAX - 64)

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

/* What is found, line by line: the hierarchy of the cpu controller, and the present group in it. */
struct search {
	const char *root;
	char mount[FOLDER_LEN];
	char home[FOLDER_LEN];
	bool is_v2;
};

typedef bool line_fn(struct search *search, char *line);

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
static bool is_cpu_mount(struct search *search, char *line)
{
	char type[32], options[FILE_LINE_LEN], format[64];
	const char *end = strstr(line, " - ");

	snprintf(format, sizeof(format), "%%*s %%*s %%*s %%*s %%%ds", FOLDER_LEN - 1);
	if (!end || sscanf(line, format, search->mount) != 1 ||
	    sscanf(end, " - %31s %*s %511s", type, options) != 2)
		return false;
	search->is_v2 = !strcmp(type, "cgroup2");
	if (search->is_v2)
		return distributes_cpu(search->root, search->mount);
	return !strcmp(type, "cgroup") && has_word(options, ",", "cpu");
}

/*
 * A line of /proc/self/cgroup: "number:controllers:group", and "0::group" for cgroup v2. Whether it
 * is of the same hierarchy.
 */
static bool is_home(struct search *search, char *line)
{
	char *controllers = strchr(line, ':'), *group;

	group = controllers ? strchr(++controllers, ':') : NULL;
	if (!group)
		return false;
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	return (search->is_v2 ? !controllers[0] : has_word(controllers, ",", "cpu")) &&
	       snprintf(search->home, FOLDER_LEN, "%s%s%s", search->root, search->mount, group) <
		       FOLDER_LEN;
}

/* Whether one of the lines of the file is what is searched. */
static bool find_line(struct search *search, const char *name, line_fn *is_it)
{
	char path[PATH_MAX], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/%s", search->root, name);
	file = fopen(path, "re");
	while (file && !found && getline(&line, &size, file) > 0)
		found = is_it(search, line);
	if (file)
		fclose(file);
	free(line);
	return found;
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

struct cpu_group *cpu_group__join(const char *root, pid_t tid)
{
	struct cpu_group *group = calloc(1, sizeof(*group));
	struct search search = {.root = root};
	char parent[PATH_MAX];

	if (!group)
		return NULL;
	if (find_line(&search, "mountinfo", is_cpu_mount) &&
	    find_line(&search, "cgroup", is_home)) {
		group->is_v2 = search.is_v2;
		snprintf(group->home, sizeof(group->home), "%s", search.home);
	}
	if (group->home[0] && can_move_to(group, group->home)) {
		snprintf(parent, sizeof(parent), "%s%s", root, search.mount);
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
