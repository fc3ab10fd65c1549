/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines sums of system calls that have failed. */
#pragma once

#include "model/end_summary.h"

#include <stdbool.h>

/*
 * System calls of a thread, to obtain or to send something, that have failed (level deep). There
 * may be more such calls.
 */
struct failing_summary {
	struct end_summary thread;
	uint32_t number; /* of the system call */
	uint32_t error;  /* errno */
	uint32_t port;   /* Internet: of the thread's own end; 0: none, or several */
	bool has_channel;
	uint32_t channel; /* one of that socket, in either direction */
	uint64_t count;
	uint64_t ns; /* they have had a CPU for so long, at least */
};
