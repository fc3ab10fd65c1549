/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether this process, its children and /proc have the same PID namespace. */
#pragma once

#include <stdbool.h>

enum pid_view {
	PID_VIEW_INITIAL, /* the initial namespace, or a kernel without namespaces */
	PID_VIEW_OWN,     /* another namespace, as in a container; /proc belongs to it */
	PID_VIEW_FOREIGN, /* /proc belongs to another namespace, or is missing */
	PID_VIEW_SPLIT,   /* children go to another namespace (unshare without --fork) */
};

/* `root` stands before every path: "" on this machine. */
enum pid_view pid_namespace_view(const char *root);

/* Whether pids can be traced and looked up in /proc. */
bool pid_view_is_usable(enum pid_view view);

/* What is wrong with an unusable view, and what to do. Static. */
const char *pid_view_problem(enum pid_view view);
const char *pid_view_remedy(enum pid_view view);

/*
 * Checks the view of this process. 0, or -ENOTSUP (logged). `what` begins the error: "cannot
 * trace".
 */
int pid_namespace_check(const char *what);
