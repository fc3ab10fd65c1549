/* SPDX-License-Identifier: BSD-2-Clause */
/* What a message of a round carries; the rest of its size is zeros. */
#ifndef IPCTRACE_WORKLOAD_MESSAGE_H
#define IPCTRACE_WORKLOAD_MESSAGE_H

#include <stdint.h>

#define ROUND_MAGIC 0x646e7572u /* "rund" */

struct round_message {
	uint32_t magic;
	uint32_t client;
	uint64_t round;
	uint64_t stamp_ns;
};

#endif
