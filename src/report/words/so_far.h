/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what an attach reports while it goes on: one line that is rewritten in place. */
#pragma once

#include "model/unit.h"
#include "report/words/labels.h"
#include "report/words/line_parts.h"

#include <stdint.h>

struct so_far {
	uint64_t traced_ns;
	uint64_t messages;
	uint64_t calls;
	uint64_t lost;          /* records */
	enum unit_kind unit;    /* of the next three: UNIT_MESSAGE or UNIT_CALL */
	uint64_t slowest_ns;    /* 0: there is none */
	uint64_t p99_ns;        /* 0: there are too few */
	char to[END_TITLE_LEN]; /* the receiver or the server of the slowest; empty: not known */
};

/*
 * "ipctrace: 12 s, 48231 messages, 2001 calls, 3 records lost, slowest 12.3 ms, a call
 * to redis-server (pid 27173), p99 of calls 1.23 ms"
 */
void so_far_words(const struct so_far *so_far, struct line_parts *parts);
