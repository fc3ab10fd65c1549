/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One byte stream: its sends, receives and arrivals that wait to be joined, each array in the order
 * of positions. Private to stream.c, which keeps them, and stream_match.c, which joins them.
 */
#ifndef IPCTRACE_ANALYSIS_JOIN_STREAM_STATE_H
#define IPCTRACE_ANALYSIS_JOIN_STREAM_STATE_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <uthash.h>

struct sent {
	struct record_send send;
	uint64_t seq;
	bool is_numbered;
	bool is_closed;
	bool is_ambiguous;
};

struct received {
	struct record_receive receive;
	size_t change_cnt;
	bool is_ambiguous;
};

struct stream {
	uint32_t id;
	uint32_t used;
	struct sent *sent;
	size_t sent_cnt, sent_room;
	struct received *received;
	size_t received_cnt, received_room;
	struct record_arrival *arrival;
	size_t arrival_cnt, arrival_room;
	bool has_begun;     /* the first send is known */
	bool has_gap;       /* a send is missing, so further messages have no number */
	uint64_t gap_cnt;   /* places where sends are missing */
	uint64_t reached;   /* the end of all numbered sends */
	uint64_t next;      /* position of the next send, */
	uint64_t next_seq;  /* and its number */
	uint64_t let_go_ns; /* history before this is not kept for it */
	struct stream *prev_busy, *next_busy; /* NULL: not in this list */
	UT_hash_handle hh;
};

static inline uint64_t send_end(const struct record_send *send)
{
	return send->position + send->bytes;
}

static inline uint64_t receive_end(const struct record_receive *receive)
{
	return receive->position + receive->bytes;
}

#endif
