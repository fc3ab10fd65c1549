/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends all descendants of the calling process, at any depth and in any process group or session.
 * The caller must be a subreaper (PR_SET_CHILD_SUBREAPER), so that orphans become its children.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Ends and reaps all descendants: SIGTERM first, SIGKILL after a second. `group` is a process group
 * that gets SIGTERM at once; 0: none.
 */
void descendants_end(pid_t group);

/* Whether `parent` has a child. */
bool process_has_child(pid_t parent);
