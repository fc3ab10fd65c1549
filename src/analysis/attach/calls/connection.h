/* SPDX-License-Identifier: BSD-2-Clause */
/* Identifies a connection: two channels in opposite directions between the same two ends. */
#pragma once

#include <stdint.h>

/* Both ends of a connection (socket cookies), the lesser first. */
struct connection_ends {
	uint64_t low;
	uint64_t high;
};
