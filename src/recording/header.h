/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the header of a recording to JSON text and back. The header describes the run, the
 * machine and the layout of the records.
 */
#pragma once

#include "model/spec.h"

/* JSON text, which the caller frees. NULL: out of memory. */
char *recording_header_encode(const struct run_info *info);

/* Returns 0, or -EINVAL with the reason in `why`. */
int recording_header_decode(const char *text, size_t size, struct run_info *info, char *why,
			    size_t why_size);
