/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the parent of every process from /proc: not every kernel lists children. */
#include "command/live/target/children.h"

#include "util/proc_stat.h"
#include "util/read_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK_LEN 64

struct parenthood {
	pid_t pid;
	pid_t parent;
	bool is_own; /* this process, or it has started this one at any depth */
};

struct family {
	struct parenthood *at; /* owned */
	size_t cnt;
};

static int target_children_add(void *ctx, pid_t pid)
{
	struct family *family = ctx;
	struct parenthood *at = reallocarray(family->at, family->cnt + 1, sizeof(*at));
	struct parenthood one = {.pid = pid};
	char text[STAT_LEN], state;
	const char *stat;

	if (!at)
		return -ENOMEM;
	family->at = at;
	stat = process_stat(pid, text);
	/* A zombie does nothing any more. */
	if (stat && sscanf(stat, "%c %d", &state, &one.parent) == 2 && !strchr("ZXx", state))
		at[family->cnt++] = one;
	return 0;
}

static void mark_own(struct family *family)
{
	pid_t pid = getpid();
	size_t i = 0;

	while (i < family->cnt) {
		if (family->at[i].pid != pid || family->at[i].is_own) {
			i++;
			continue;
		}
		family->at[i].is_own = true;
		pid = family->at[i].parent;
		i = 0;
	}
}

static int read_family(struct family *family)
{
	int err = proc_visit("/proc", target_children_add, family);

	mark_own(family);
	return err;
}

/* Whether another pass may find more: a child may be listed before its parent. */
static int add_pass(struct targets *targets, const struct family *family, bool *has_found)
{
	int err = 0;

	*has_found = false;
	for (size_t i = 0; !err && i < family->cnt; i++) {
		const struct parenthood *one = &family->at[i];

		if (one->is_own || targets_has(targets, one->pid) ||
		    !targets_follows(targets, one->parent))
			continue;
		err = targets_add_followed(targets, one->pid);
		*has_found = true;
	}
	return err;
}

int children_add(struct targets *targets)
{
	struct family family = {0};
	int err = read_family(&family);
	bool has_found = true;

	while (!err && has_found)
		err = add_pass(targets, &family, &has_found);
	free(family.at);
	return err;
}

/* `ctx`: the folder of the descriptors. */
static int is_channel(void *ctx, pid_t fd)
{
	const char *folder = ctx;
	char path[96], link[LINK_LEN];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%d", folder, fd);
	length = readlink(path, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	return !strncmp(link, "socket:", strlen("socket:")) ||
	       !strncmp(link, "pipe:", strlen("pipe:"));
}

static pid_t parent_of(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->cnt; i++) {
		if (family->at[i].pid == pid)
			return family->at[i].parent;
	}
	return 0;
}

static bool is_descendant(const struct targets *targets, const struct family *family, pid_t pid)
{
	do
		pid = parent_of(family, pid);
	while (pid > 0 && !targets_has(targets, pid));
	return pid > 0;
}

void children_left_out(const struct targets *targets, struct untraced *untraced)
{
	struct family family = {0};

	*untraced = (struct untraced){0};
	read_family(&family);
	for (size_t i = 0; i < family.cnt; i++) {
		const struct parenthood *one = &family.at[i];
		char folder[64], path[64], comm[PROCESS_COMM_LEN];

		snprintf(folder, sizeof(folder), "/proc/%d/fd", one->pid);
		snprintf(path, sizeof(path), "/proc/%d/comm", one->pid);
		if (one->is_own || targets_has(targets, one->pid) ||
		    !is_descendant(targets, &family, one->pid) ||
		    proc_visit(folder, is_channel, folder) <= 0 ||
		    !read_line("", path, comm, sizeof(comm)))
			continue;
		if (untraced->cnt < UNTRACED_NAMED_MAX) {
			struct untraced_process *process = &untraced->named[untraced->cnt];

			process->pid = (uint32_t)one->pid;
			memcpy(process->comm, comm, sizeof(comm));
		}
		untraced->cnt++;
	}
	free(family.at);
}
