/* SPDX-License-Identifier: BSD-2-Clause */
/* How long an access may have been under way, by transport. */
#include "analysis/attach/end_access.h"

#include "model/record_decode.h"

#include <limits.h>

/* Whether the receives of a channel are counted when their calls end, in any order. */
static bool receives_are_late(const struct channel_usage *usage)
{
	return usage->has_late || usage->transport == TRANSPORT_PIPE ||
	       usage->transport == TRANSPORT_FIFO || usage->transport == TRANSPORT_EVENTFD ||
	       usage->transport == TRANSPORT_MQUEUE || usage->transport == TRANSPORT_SYSV;
}

static uint64_t under_way_ns(const struct record_send *send)
{
	const struct record_send_outside *outside = (const void *)send;

	return send_is_outside(send) ? outside->since_ns : send->send_ns;
}

/* Whether the data may enter the channel in parts, with other threads' data in between. */
static bool may_be_in_parts(const struct channel_usage *usage, const struct record_send *send)
{
	return usage->transport == TRANSPORT_UDS_STREAM || transport_is_tcp(usage->transport) ||
	       (send->channel & CHANNEL_STREAM && send->bytes > PIPE_BUF);
}

/*
 * A send is counted after its last sleep. Two kinds may be counted while the sender sleeps: parts,
 * and a message that waits for room in a POSIX queue, which a receiver puts there.
 */
static uint64_t began_ns(const struct channel_usage *usage, const struct record_send *send,
			 const struct timeline *line)
{
	if (usage->transport == TRANSPORT_MQUEUE || may_be_in_parts(usage, send))
		return under_way_ns(send);
	return timeline_awake_ns(line, under_way_ns(send), send_counted_ns(send));
}

struct end_access access_of_send(const struct channel_usage *usage, const struct record_send *send,
				 const struct timeline *line)
{
	return (struct end_access){
		.channel = send->channel,
		.tid = send->head.tid,
		.position = send->position,
		.is_shared = usage->has_senders,
		.is_queue = transport_is_queue(usage->transport),
		.from_ns = began_ns(usage, send, line),
		.until_ns = send_counted_ns(send),
	};
}

/*
 * A queue hands a message to a sleeping receiver, and a stream may be received in parts before the
 * sleep (RECEIVE_LATE): such a receive may be counted at any instant of its call. For a receive
 * outside of any call only the end is known.
 */
struct end_access access_of_receive(const struct channel_usage *usage,
				    const struct record_receive *receive, uint64_t awake_ns)
{
	bool is_stream = receive->channel & CHANNEL_STREAM;
	bool is_long = is_stream ? usage->has_late : receives_are_late(usage);

	return (struct end_access){
		.channel = receive->channel,
		.receives = true,
		.tid = receive->head.tid,
		.position = receive->position,
		.is_shared = usage->has_receivers,
		.is_queue = transport_is_queue(usage->transport),
		.from_ns = is_long && !receive_is_outside(receive) ? receive->enter_ns : awake_ns,
		.until_ns = receive->exit_ns,
	};
}

struct end_access access_of_beside(const struct channel_usage *usage,
				   const struct record_beside *beside)
{
	return (struct end_access){
		.channel = beside->channel,
		.tid = beside->head.tid,
		.position = POSITION_NONE,
		.is_shared = usage->has_senders,
		.from_ns = beside->from_ns,
		.until_ns = beside->until_ns,
	};
}
