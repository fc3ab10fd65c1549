/* SPDX-License-Identifier: BSD-2-Clause */
/* Hands out what threads did. */
#pragma once

#include <stdint.h>

struct analysis;

/*
 * All records from before `before_ns` are here: hands out what has become known, unless the caller
 * wants no moments. 0, or what the caller's function returned.
 */
int thread_moments_settle(struct analysis *a, uint64_t before_ns);
