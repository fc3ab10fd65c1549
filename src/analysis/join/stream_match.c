/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends and receives are sorted by byte offset, so one walk through both is enough. */
#include "analysis/join/stream_state.h"

#include "container/step_limit.h"

bool stream_number(struct stream *stream, struct sent *sent, uint64_t before_ns)
{
	if (sent->is_numbered)
		return true;
	if (!stream->has_begun || sent->send.position != stream->next) {
		if (sent->send.send_ns >= before_ns)
			return false;
		/* Among sends that overlap, positions are uncertain: this may be no gap. */
		stream->gap_cnt += stream->has_begun && !sent->is_ambiguous &&
				   sent->send.position > stream->reached;
		stream->has_gap |= stream->has_begun;
		stream->has_begun = true;
	}
	sent->is_numbered = true;
	if (send_end(&sent->send) > stream->reached)
		stream->reached = send_end(&sent->send);
	sent->seq = stream->has_gap ? SEQ_UNKNOWN : stream->next_seq++;
	stream->next = send_end(&sent->send);
	return true;
}

/* The earliest arrival that covers the whole message. NULL: none is known. */
static const struct record_arrival *arrival_of(const struct stream *stream, uint64_t end)
{
	const struct record_arrival *first = NULL;

	for (size_t i = stream->arrival_cnt;
	     i && stream->arrival[i - 1].end >= end && step_limit_spend(1); i--) {
		if (!first || stream->arrival[i - 1].at_ns < first->at_ns)
			first = &stream->arrival[i - 1];
	}
	return first;
}

/* For a send that does not know when its data became visible. */
static void note_arrival(const struct stream *stream, struct sent *sent, struct ready *ready)
{
	const struct record_arrival *arrival = arrival_of(stream, send_end(&sent->send));

	if (!arrival)
		return;
	ready->queued_ns = arrival->at_ns;
	if (arrival->head.flags & ARRIVAL_UNWATCHED)
		sent->send.head.flags |= SEND_UNWATCHED;
}

/*
 * Data of the message, or data before it, were sent again before it was visible. The receiver gets
 * bytes in their order.
 */
static void note_retransmit(const struct stream *stream, const struct sent *sent,
			    struct ready *ready)
{
	uint64_t since_ns = sent->returned_ns ?: sent->send.send_ns;

	for (uint32_t i = 0; stream->again && i < RETRANSMITS_KEPT && step_limit_spend(1); i++) {
		const struct record_retransmit *again = &stream->again->last[i];

		if (again->at_ns > since_ns && again->at_ns <= ready->queued_ns &&
		    again->position < send_end(&sent->send) && again->at_ns > ready->again_ns)
			ready->again_ns = again->at_ns;
	}
}

enum stream_found stream_find_receive(const struct stream *stream, size_t *first,
				      const struct sent *sent, uint64_t before_ns,
				      struct ready *ready)
{
	uint64_t position = sent->send.position, end = send_end(&sent->send);
	size_t i;

	while (*first < stream->received_cnt &&
	       receive_end(&stream->received[*first].receive) <= position)
		++*first;
	ready->receives = 0;
	for (i = *first; i < stream->received_cnt && step_limit_spend(1); i++) {
		const struct received *received = &stream->received[i];

		if (received->receive.position > position)
			return received->receive.exit_ns < before_ns ? STREAM_FOUND_GAP
								     : STREAM_FOUND_NOT_YET;
		ready->receives++;
		ready->is_ambiguous |= received->is_ambiguous;
		position = receive_end(&received->receive);
		if (position >= end) {
			ready->received = received;
			return received->receive.exit_ns < before_ns ? STREAM_FOUND
								     : STREAM_FOUND_NOT_YET;
		}
	}
	return STREAM_FOUND_NOT_YET;
}

/*
 * Two sends overlapped, and this one began only after "its" bytes had been received: the numbers
 * must be the other way round. They are exchanged if both are of one size.
 *
 *	thread 1   |------- send ----------------| numbered second
 *	thread 2                     |- send -| numbered first
 *	reader          |- receive -|
 */
static void exchange_positions(struct stream *stream, size_t i, uint64_t exit_ns)
{
	struct record_send *late = &stream->sent[i].send, swapped = *late;

	for (size_t k = i + 1;
	     k < stream->sent_cnt && stream->sent[k].is_ambiguous && step_limit_spend(1); k++) {
		struct record_send *other = &stream->sent[k].send;

		if (other->bytes != late->bytes)
			return;
		if (other->send_ns > exit_ns)
			continue;
		swapped.position = other->position;
		other->position = late->position;
		*late = *other;
		*other = swapped;
		return;
	}
}

/*
 * The receives that got bytes of this message, but not its last one:
 *
 *	sends      |            i            |
 *	receives   |  part  |  part  |    last    |
 *
 * `first`: the one that got its first byte, if that has come. How many.
 */
static size_t add_parts(struct stream *stream, size_t first, struct sent *sent, uint64_t before_ns,
			struct ready *ready)
{
	const struct record_send *send = &sent->send;
	size_t cnt = 0;

	for (size_t i = first; i < stream->received_cnt && step_limit_spend(1); i++) {
		struct received *received = &stream->received[i];
		uint64_t end = receive_end(&received->receive);

		if (end >= send_end(send) || received->receive.exit_ns >= before_ns)
			break;
		if (received->is_offered || end <= send->position)
			continue;
		received->is_offered = true;
		ready[cnt++] = (struct ready){.exit_ns = received->receive.exit_ns,
					      .channel = stream->id,
					      .position = send->position,
					      .owner = sent,
					      .received = received,
					      .queued_ns = send->queued_ns,
					      .receives = i - first + 1,
					      .is_ambiguous = sent->is_ambiguous,
					      .is_part = true};
	}
	return cnt;
}

size_t stream_ready(struct stream *stream, uint64_t before_ns, bool has_parts, struct ready *ready)
{
	size_t cnt = 0, first = 0;

	for (size_t i = 0; i < stream->sent_cnt && step_limit_spend(1); i++) {
		struct sent *sent = &stream->sent[i];
		struct ready one = {.owner = sent,
				    .channel = stream->id,
				    .position = sent->send.position,
				    .is_ambiguous = sent->is_ambiguous};
		enum stream_found found;

		if (!stream_number(stream, sent, before_ns))
			break;
		if (sent->is_closed)
			continue;
		found = stream_find_receive(stream, &first, sent, before_ns, &one);
		if (has_parts)
			cnt += add_parts(stream, first, sent, before_ns, ready + cnt);
		if (found == STREAM_FOUND_GAP)
			continue;
		if (found == STREAM_FOUND_NOT_YET)
			break;
		one.exit_ns = one.received->receive.exit_ns;
		if (sent->is_ambiguous && sent->send.send_ns > one.exit_ns)
			exchange_positions(stream, i, one.exit_ns);
		one.queued_ns = sent->send.queued_ns;
		if (!one.queued_ns)
			note_arrival(stream, sent, &one);
		note_retransmit(stream, sent, &one);
		ready[cnt++] = one;
	}
	return cnt;
}
