/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the state of one byte stream: sorted arrays of sends, receives and arrivals. An arrival
 * says when data became visible to the receiver. stream.c fills the arrays, and stream_match.c
 * finds the receive that completes each send. No other file includes this header.
 */
#pragma once

#include "analysis/join/joined.h"

#include <uthash.h>

struct sent {
	struct record_send send;
	uint64_t full_ns; /* these two as in struct joined */
	uint64_t returned_ns;
	uint64_t seq;
	bool is_numbered;
	bool is_closed;
	bool is_ambiguous;
};

struct received {
	struct record_receive receive;
	size_t change_cnt;
	bool is_ambiguous;
	bool is_offered; /* as a part of a message */
};

#define RETRANSMITS_KEPT 32 /* the last ones: a message is complete soon after its own */

struct retransmits {
	uint32_t cnt; /* that ever came */
	struct record_retransmit last[RETRANSMITS_KEPT];
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
	struct retransmits *again; /* NULL: none came */
	bool has_begun;            /* the first send is known */
	bool has_gap;              /* a send is missing, so further messages have no number */
	uint64_t gap_cnt;          /* places where sends are missing */
	uint64_t reached;          /* the end of all numbered sends */
	uint64_t next;             /* position of the next send, */
	uint64_t next_seq;         /* and its number */
	uint64_t let_go_ns;        /* history before this is not kept for it */
	struct stream *prev_busy, *next_busy; /* NULL: not in this list */
	UT_hash_handle hh;
};

static inline uint64_t send_end(const struct record_send *send)
{
	return send->position + send->bytes;
}

/* When the send call had returned: sends over streams are counted at its end. 0: not known. */
static inline uint64_t send_returned_ns(const struct record_send *send)
{
	const struct record_send_counted *counted = (const void *)send;

	return send->head.words >= RECORD_WORDS(*counted) ? counted->counted_ns : 0;
}

/*
 * Since when the rest of the message lay in the sender's socket, see SEND_NO_ROOM; 0: it did not.
 */
static inline uint64_t send_full_ns(const struct record_send *send)
{
	return send->head.flags & SEND_NO_ROOM ? send_returned_ns(send) : 0;
}

static inline uint64_t receive_end(const struct record_receive *receive)
{
	return receive->position + receive->bytes;
}

/*
 * Numbers a send, if all sends before it are known. All sends before `before_ns` have been
 * recorded: bytes missing in front of such a send will not come. Whether it has its number.
 */
bool stream_number(struct stream *stream, struct sent *sent, uint64_t before_ns);

enum stream_found {
	STREAM_FOUND,
	STREAM_FOUND_NOT_YET,
	STREAM_FOUND_GAP, /* later bytes were received long ago: the record of these is lost */
};

/*
 * Finds the receive of the last byte, if all receives of the message are known. `first`: where to
 * begin, which the caller sets to 0 for the first send; sends come in the order of positions.
 */
enum stream_found stream_find_receive(const struct stream *stream, size_t *first,
				      const struct sent *sent, uint64_t before_ns,
				      struct ready *ready);

/*
 * Fills in `ready` with all messages that were received before `before_ns`, and with parts of
 * messages if `has_parts`. How many.
 */
size_t stream_ready(struct stream *stream, uint64_t before_ns, bool has_parts, struct ready *ready);
