/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the children that targets have already. The children that they start while they are traced
 * need no search: the BPF programs follow them.
 */
#pragma once

#include "command/targets.h"

#include <stddef.h>

/*
 * Adds the children of the targets that are followed, and theirs. Leaves out this program and what
 * has started it. Cheap enough to be repeated. 0 or -errno.
 */
int children_add(struct targets *targets);

/*
 * "worker (pid 12), worker (pid 13) and 2 more": descendants of targets that are no targets, and
 * have a socket or a pipe open. Returns how many; 0: no text.
 */
size_t children_left_out(const struct targets *targets, char *text, size_t size);
