/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the PID namespaces of this process, of its children and of /proc. */
#include "util/pid_namespace.h"

#include "util/log.h"
#include "util/read_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its inode number is PROC_PID_INIT_INO of include/linux/proc_ns.h. */
#define INITIAL  "pid:[4026531836]"

#define LINK_LEN 64

/* Empty: there is no such link. */
static void read_link(const char *root, const char *path, char text[LINK_LEN])
{
	char whole[PATH_MAX];
	ssize_t length;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	length = readlink(whole, text, LINK_LEN - 1);
	text[length > 0 ? length : 0] = '\0';
}

/*
 * NSpid lists the pid in every namespace from that of this /proc down to the process's own. If
 * /proc is of its own namespace, there is one pid.
 */
static bool has_several_numbers(const char *root)
{
	char numbers[FILE_LINE_LEN];

	return read_field(root, "/proc/self/status", "NSpid:", numbers, sizeof(numbers)) &&
	       strpbrk(numbers, " \t");
}

enum pid_view pid_namespace_view(const char *root)
{
	char own[LINK_LEN], children[LINK_LEN];

	if (!is_there(root, "/proc/self/status") || has_several_numbers(root))
		return PID_VIEW_FOREIGN;
	read_link(root, "/proc/self/ns/pid", own);
	if (!own[0])
		return PID_VIEW_INITIAL;
	/* Missing until the new namespace has its first process. */
	read_link(root, "/proc/self/ns/pid_for_children", children);
	if (strcmp(own, children))
		return PID_VIEW_SPLIT;
	return strcmp(own, INITIAL) ? PID_VIEW_OWN : PID_VIEW_INITIAL;
}

bool pid_view_is_usable(enum pid_view view)
{
	return view == PID_VIEW_INITIAL || view == PID_VIEW_OWN;
}

const char *pid_view_problem(enum pid_view view)
{
	return view == PID_VIEW_SPLIT
		       ? "the children of this process go to another PID namespace than its own"
		       : "/proc shows the processes of another PID namespace, or is not mounted";
}

const char *pid_view_remedy(enum pid_view view)
{
	return view == PID_VIEW_SPLIT
		       ? "start ipctrace as a child in the new one (unshare --pid --fork "
			 "--mount-proc)"
		       : "mount the one of this namespace (mount -t proc proc /proc, or unshare "
			 "--mount-proc)";
}

int pid_namespace_check(const char *what)
{
	enum pid_view view = pid_namespace_view("");

	if (pid_view_is_usable(view))
		return 0;
	log_error("%s: %s: %s", what, pid_view_problem(view), pid_view_remedy(view));
	return -ENOTSUP;
}
