/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the children that targets have already. The children that they start while they are traced
 * need no search: the BPF programs follow them.
 */
#pragma once

#include "command/live/target/targets.h"
#include "model/spec.h"

/*
 * Adds the children of the targets that are followed, and theirs. Leaves out this program and what
 * has started it. Cheap enough to be repeated. 0 or -errno.
 */
int children_add(struct targets *targets);

/* Descendants of targets that are no targets, and have a socket or a pipe open. */
void children_left_out(const struct targets *targets, struct untraced *untraced);
