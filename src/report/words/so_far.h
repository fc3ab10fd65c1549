/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what is reported while tracing goes on: one line that is rewritten in place, of as many
 * parts as have room.
 */
#pragma once

#include "model/unit.h"
#include "report/words/labels.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A line of parts that has to fit into some columns. Parts stay whole: those of the highest ranks
 * are left out.
 */
#define LINE_PARTS_MAX 8
#define LINE_PART_LEN  512

/* With its NUL, of any line. */
#define LINE_OF_PARTS_LEN (LINE_PARTS_MAX * LINE_PART_LEN)

/* Zero-initialized is empty. */
struct line_parts {
	int cnt;
	struct {
		int rank;
		char text[LINE_PART_LEN]; /* plain */
	} part[LINE_PARTS_MAX];
};

/*
 * Appends a part. Names from other programs may be in it, because it is escaped (util/plain.h). No
 * two parts have one rank.
 */
__attribute__((format(printf, 3, 4))) void line_parts_add(struct line_parts *parts, int rank,
							  const char *format, ...);

/*
 * Writes the parts in the order in which they were added: those of the lowest ranks that fit. The
 * first rank that does not fit ends the choice, so that a part never stands without the one that it
 * belongs to.
 */
void line_parts_fit(const struct line_parts *parts, int columns, char line[LINE_OF_PARTS_LEN]);

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
