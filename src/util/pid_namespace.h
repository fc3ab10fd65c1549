/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which numbers processes have here. Those of a PID namespace are shown by a /proc of that
 * namespace alone, and our own children have them unless they go to another one.
 */
#ifndef IPCTRACE_UTIL_PID_NAMESPACE_H
#define IPCTRACE_UTIL_PID_NAMESPACE_H

#include <stdbool.h>

enum pid_view {
	PID_VIEW_INITIAL, /* the namespace that all others are below, or the kernel has none */
	PID_VIEW_OWN,     /* another one, as in a container; /proc is of this one */
	PID_VIEW_FOREIGN, /* /proc is of another one than this process, or missing */
	PID_VIEW_SPLIT,   /* children of this process go to another one (unshare without --fork) */
};

/* `root` stands before every path: "" on this machine. */
enum pid_view pid_namespace_view(const char *root);

/* Whether tracing, and what is read by process, works there. */
bool pid_view_is_usable(enum pid_view view);

/* What is wrong with one that is not usable, and what to do: literals with the program's life. */
const char *pid_view_problem(enum pid_view view);
const char *pid_view_remedy(enum pid_view view);

/* Of this machine: 0, or -ENOTSUP, which is logged. `what`: "cannot trace". */
int pid_namespace_check(const char *what);

#endif
