/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the end of a channel that clients know by its name. */
#include "model/channel_group.h"

#include <stdio.h>
#include <string.h>

#define BETWEEN " > " /* the addresses of an Internet channel */

static bool is_to_service(const struct channel_summary *channel)
{
	return (channel->named & ADDRESS_OF_BOTH) == ADDRESS_OF_RECEIVER;
}

/* The name without the address of the client. A socket with a path has only one name. */
static void service_name(const struct channel_summary *channel, char name[CHANNEL_NAME_LEN])
{
	const char *receiver = strstr(channel->name, BETWEEN);

	if (!receiver)
		snprintf(name, CHANNEL_NAME_LEN, "%s", channel->name);
	else if (is_to_service(channel))
		snprintf(name, CHANNEL_NAME_LEN, "*%s", receiver);
	else
		snprintf(name, CHANNEL_NAME_LEN, "%.*s%s*", (int)(receiver - channel->name),
			 channel->name, BETWEEN);
}

bool channel_group_key(const struct channel_summary *channel, char key[CHANNEL_KEY_LEN])
{
	bool to = is_to_service(channel);
	const struct end_summary *service = to ? &channel->receiver : &channel->sender;
	const struct end_summary *client = to ? &channel->sender : &channel->receiver;
	char name[CHANNEL_NAME_LEN];

	key[0] = '\0';
	if ((!to && (channel->named & ADDRESS_OF_BOTH) != ADDRESS_OF_SENDER) || !channel->name[0])
		return false;
	service_name(channel, name);
	snprintf(key, CHANNEL_KEY_LEN, "%u %d %u %s %s", channel->transport, to, service->pid,
		 client->comm, name);
	return true;
}

void channel_group_begin(struct channel_summary *channel)
{
	bool to = is_to_service(channel);
	struct end_summary *client = to ? &channel->sender : &channel->receiver;
	char name[CHANNEL_NAME_LEN];

	client->tid = 0;
	service_name(channel, name);
	memcpy(channel->name, name, sizeof(name));
}

/* A process is known only if it is that of all channels. */
static void channel_group_add_end(struct end_summary *end, char process[RECORD_COMM_LEN],
				  const struct end_summary *more, const char *more_process)
{
	if (end->pid != more->pid)
		end->pid = end->tid = 0;
	if (strcmp(process, more_process))
		process[0] = '\0';
}

void channel_group_add(struct channel_summary *group, const struct channel_summary *channel)
{
	channel_group_add_end(&group->sender, group->sender_process, &channel->sender,
			      channel->sender_process);
	channel_group_add_end(&group->receiver, group->receiver_process, &channel->receiver,
			      channel->receiver_process);
	group->messages += channel->messages;
	group->bytes += channel->bytes;
	group->calls += channel->calls;
	group->awake += channel->awake;
	group->dropped += channel->dropped;
	group->components.count += channel->components.count;
	for (int i = 0; i < NR_COMPONENTS; i++)
		group->components.ns[i] += channel->components.ns[i];
	stat_merge(&group->latency, &channel->latency);
	blame_top_add(&group->blame, channel->blame.entry, channel->blame.cnt);
	group->loop.ns += channel->loop.ns;
	group->loop.known_ns += channel->loop.known_ns;
	group->loop.asleep_ns += channel->loop.asleep_ns;
}
