/* SPDX-License-Identifier: BSD-2-Clause */
/* A name, or what the user says, shows which end of a direction serves. */
#include "analysis/attach/calls/call_direction.h"

#include "analysis/attach/choices.h"
#include "model/record_decode.h"

#include <string.h>

#define PORT_EPHEMERAL 32768

void call_direction_channel(struct call_direction *direction, const struct record_channel *channel)
{
	direction->is_unix = channel->transport == TRANSPORT_UDS ||
			     channel->transport == TRANSPORT_UDS_STREAM ||
			     channel->transport == TRANSPORT_UDS_SEQPACKET;
	/* The record with the sender comes later, and may overtake the one without. */
	if (!channel->sender && direction->ends.low)
		return;
	direction->from_low = channel->sender < channel->receiver;
	direction->ends.low = direction->from_low ? channel->sender : channel->receiver;
	direction->ends.high = direction->from_low ? channel->receiver : channel->sender;
}

/*
 * A server has a name that clients know: a path, a listening port, or at least a port below those
 * that the kernel picks for a client.
 */
void call_direction_address(struct call_direction *direction, const struct record_address *address)
{
	uint32_t named = address->named & ADDRESS_OF_BOTH;
	bool sender_serves =
		named == ADDRESS_OF_SENDER || (!named && address->sender_port < PORT_EPHEMERAL);
	bool receiver_serves =
		named == ADDRESS_OF_RECEIVER || (!named && address->receiver_port < PORT_EPHEMERAL);

	if (sender_serves != receiver_serves)
		direction->server = receiver_serves ? SERVER_RECEIVES : SERVER_SENDS;
}

/* Socket cookies do not have this bit. */
#define END_IS_PROCESS (1ULL << 63)

void call_direction_pipe(struct call_direction *direction, uint32_t sender_pid,
			 uint32_t receiver_pid)
{
	direction->is_pipe = true;
	direction->from_low = sender_pid < receiver_pid;
	if (!sender_pid || !receiver_pid || sender_pid == receiver_pid)
		return;
	direction->ends.low = END_IS_PROCESS | (direction->from_low ? sender_pid : receiver_pid);
	direction->ends.high = END_IS_PROCESS | (direction->from_low ? receiver_pid : sender_pid);
}

void call_direction_udp(struct call_direction *direction, uint32_t sender_pid,
			uint32_t receiver_pid)
{
	uint64_t client = direction->server == SERVER_RECEIVES ? sender_pid
			  : direction->server == SERVER_SENDS  ? receiver_pid
							       : 0;

	direction->is_udp = true;
	if (!direction->ends.low)
		return;
	direction->ends.low ^= client << 32;
	direction->ends.high ^= client << 32;
}

void call_direction_processes(struct call_direction *direction, uint32_t transport,
			      uint32_t sender_pid, uint32_t receiver_pid)
{
	if (transport == TRANSPORT_PIPE || transport == TRANSPORT_FIFO)
		call_direction_pipe(direction, sender_pid, receiver_pid);
	else if (transport_is_udp(transport))
		call_direction_udp(direction, sender_pid, receiver_pid);
}

enum server_end server_end_asked(const struct asked_ends *asked, const struct end_summary *sender,
				 const struct end_summary *receiver)
{
	bool sender_serves =
		choice_means(asked->server, sender) || choice_means(asked->client, receiver);
	bool receiver_serves =
		choice_means(asked->server, receiver) || choice_means(asked->client, sender);

	if (sender_serves == receiver_serves)
		return SERVER_UNKNOWN;
	return sender_serves ? SERVER_SENDS : SERVER_RECEIVES;
}

enum server_end server_end_of(uint32_t targets)
{
	if (targets == ADDRESS_OF_SENDER)
		return SERVER_SENDS;
	return targets == ADDRESS_OF_RECEIVER ? SERVER_RECEIVES : SERVER_UNKNOWN;
}
