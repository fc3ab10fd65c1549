/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the threads that work on a request while a thread of its path waits for them. */
#pragma once

#include "analysis/attach/calls/service_path.h"

/* Fills in the helpers of the path. */
void service_helpers_find(struct service_path *path, struct work_log *log,
			  const struct service_ends *ends);
