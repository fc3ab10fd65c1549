/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines a thread as summaries name it. */
#pragma once

#include "bpf/record.h"

#include <stdint.h>

/* The thread that used an end of a channel last. */
struct end_summary {
	uint32_t pid;
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
};
