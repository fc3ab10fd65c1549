/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All that a process has ever started, however deep, and whatever group or session it has fled to.
 * The process must be a subreaper (PR_SET_CHILD_SUBREAPER): then those whose parents end become its
 * children.
 */
#ifndef IPCTRACE_LOAD_DESCENDANTS_H
#define IPCTRACE_LOAD_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Ends and reaps them all: by SIGTERM, and a second later by SIGKILL. `group` is the process group
 * of those who are to hear of it first; 0: none.
 */
void descendants_end(pid_t group);

/* Whether `parent` has a child. */
bool process_has_child(pid_t parent);

#endif
