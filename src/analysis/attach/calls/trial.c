/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the end that sends first for the client, until it shows that it serves. */
#include "analysis/attach/calls/call_matcher_state.h"

#include "analysis/attach/calls/service_path.h"

/* So many answers in turn show that the end without a name serves. */
#define TRIAL_ANSWERS 3

/* Another thread than the receiver made the sender send this; else 0. */
static struct request_id forwarded_request(const struct call_matcher *matcher,
					   const struct message *message)
{
	struct request_id id = request_behind(matcher->output.work, matcher->output.lines,
					      message->sender.tid, message->send_ns);
	const struct work *work = work_log__request(matcher->output.work, &id);

	return work && work->giver != message->receiver.tid ? id : (struct request_id){0};
}

/*
 * A process that has connected to a broker may serve, as with D-Bus: then the broker sends first.
 * Either the broker has received something from another process, and has to answer that when this
 * process has answered; or the user asks about this process, and nothing was under way.
 */
void trial_begin(const struct call_matcher *matcher, struct connection *connection,
		 const struct call_direction *direction, const struct message *message,
		 const struct message_ends *ends)
{
	bool asks_target = ends->target == SERVER_RECEIVES && ends->was_idle;

	if (connection->basis != BASIS_NAME || direction->server != SERVER_SENDS)
		return;
	connection->forwarded = forwarded_request(matcher, message);
	if (!connection->forwarded.number && !asks_target)
		return;
	connection->client = direction->from_low ? CLIENT_LOW : CLIENT_HIGH;
	connection->basis = BASIS_FIRST;
	connection->trial = TRIAL_ANSWERS;
}

/* Whether the broker waits for the answer to what it has forwarded, if that is known. */
static bool still_waits(const struct call_matcher *matcher, const struct connection *connection)
{
	const struct work *work = work_log__request(matcher->output.work, &connection->forwarded);

	return !connection->forwarded.number || (work && !work->answered_ns);
}

/*
 * In a trial. If the end that sent first sends again without an answer, or did not need the answer,
 * then it serves.
 */
bool trial_ends(const struct call_matcher *matcher, struct connection *connection,
		const struct call_direction *direction)
{
	bool from_client = (connection->client == CLIENT_LOW) == direction->from_low;
	bool is_open = exchange_open(&connection->exchange);

	if (from_client == is_open || (!from_client && !still_waits(matcher, connection))) {
		connection->trial = 0;
		connection->client = connection->client == CLIENT_LOW ? CLIENT_HIGH : CLIENT_LOW;
		connection->basis = BASIS_NAME;
		return true;
	}
	if (!from_client) {
		connection->trial--;
		connection->forwarded = (struct request_id){0};
	}
	return false;
}
