/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what is known of the threads at both ends of a message. */
#pragma once

#include "analysis/attach/calls/call_direction.h"

#include <stdbool.h>

struct message_ends {
	enum server_end asked;  /* which end serves, as the user says */
	enum server_end target; /* which end is the only target */
	bool is_within;         /* both are threads of one process */
	bool was_idle;          /* tracing has begun so long before that no call was under way */
};
