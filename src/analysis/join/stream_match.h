/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the messages of one stream that have both ends: a send gets its number, and the receive of
 * its last byte.
 */
#ifndef IPCTRACE_ANALYSIS_JOIN_STREAM_MATCH_H
#define IPCTRACE_ANALYSIS_JOIN_STREAM_MATCH_H

#include "analysis/join/joined.h"
#include "analysis/join/stream_state.h"

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

/* Fills in `ready` with all messages that were received before `before_ns`. How many. */
size_t stream_ready(struct stream *stream, uint64_t before_ns, struct ready *ready);

#endif
