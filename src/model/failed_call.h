/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines a system call of a thread that has failed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A system call that failed. */
struct failed_call {
	uint32_t number;
	uint32_t error; /* errno; 0: there is none, or there are several */
};

static inline bool failed_call_is_same(const struct failed_call *a, const struct failed_call *b)
{
	return a->number == b->number && a->error == b->error;
}
