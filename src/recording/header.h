/* SPDX-License-Identifier: BSD-2-Clause */
/* The text at the head of a recording: what was run where, and how its records are laid out. */
#ifndef IPCTRACE_RECORDING_HEADER_H
#define IPCTRACE_RECORDING_HEADER_H

#include "model/spec.h"

/* JSON text, to be freed; NULL: out of memory. */
char *recording_header_encode(const struct run_info *info);

/* 0, or -EINVAL with the reason in `why`. */
int recording_header_decode(const char *text, size_t size, struct run_info *info, char *why,
			    size_t why_size);

#endif
