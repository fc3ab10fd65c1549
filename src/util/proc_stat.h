/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how processes and threads are found in /proc, and their figures: proc_pid_stat(5). Also
 * ends all descendants of the calling process, at any depth and in any process group or session.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Room for all fields and the name. */
#define STAT_LEN 512

/*
 * The fields from the state on, which is the third. The name before is in brackets and may contain
 * anything, also brackets and newlines. NULL: no such process or thread. The result points into
 * `text`. Uses neither memory nor files of the C library.
 */
char *proc_stat_read(const char *path, char text[STAT_LEN]);

/* The same of a process: "STATE PPID ...". */
char *process_stat(pid_t pid, char text[STAT_LEN]);

/* Gets a number in the folder. 0, or what ends the search. */
typedef int proc_visit_fn(void *ctx, pid_t number);

/*
 * Visits all numbers in a folder: the processes of /proc, or the threads or descriptors of one.
 * What `visit` returned last, or -errno of the folder; 0: all were visited.
 */
int proc_visit(const char *folder, proc_visit_fn *visit, void *ctx);

/*
 * Ends and reaps all descendants: SIGTERM first, SIGKILL after a second. `group` is a process group
 * that gets SIGTERM at once; 0: none. The caller must be a subreaper (PR_SET_CHILD_SUBREAPER), so
 * that orphans become its children.
 */
void descendants_end(pid_t group);

/* Whether `parent` has a child. */
bool process_has_child(pid_t parent);
