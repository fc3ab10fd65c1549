/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes records through a watch, as they pass while tracing goes on, and records windows. */
#pragma once

#include "support/build.h"

#include "recording/flight/flight.h"

/*
 * Writes a recording of the windows around what fulfils the condition, each from `keep_ns` before.
 * A WATERMARK ends a drain. `info` gets the condition. Returns how many messages there were.
 */
uint64_t window_file_write(const char *path, struct run_info *info, const struct tape *tape,
			   const char *condition, uint64_t keep_ns);
