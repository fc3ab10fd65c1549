/* SPDX-License-Identifier: BSD-2-Clause */
/* What the caller asks the service to do. */
#pragma once

#include "log.h"

enum op {
	OP_ECHO,
	OP_SPIN,  /* be on the CPU for `ns` before the answer */
	OP_SLEEP, /* sleep for `ns` before the answer */
	OP_BUSY,  /* answer, and be on the CPU for `ns` before the next receive */
	OP_BLOCK, /* answer, and read from the side pipe before the next receive */
	OP_EXIT,  /* answer, and exit */
	OP_EXEC,  /* answer, and become a new program that serves the same connection */
	OP_FORK,  /* answer, and leave the connection to a child */
	OP_WAIT,  /* wait on a futex for `ns` before the answer; no thread wakes it */
	NR_OPS
};

static const char *const op_names[NR_OPS] = {"echo", "spin", "sleep", "busy", "block",
					     "exit", "exec", "fork",  "wait"};

/* Padded to the size of a unit. */
struct request {
	struct head head;
	uint32_t op;
	uint32_t ns;
};
