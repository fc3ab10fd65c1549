/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the processes at both ends with those that the user names. */
#include "analysis/attach/server_end.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool is_meant(const char *wanted, const struct end_summary *end)
{
	char pid[16];

	if (!wanted[0])
		return false;
	snprintf(pid, sizeof(pid), "%u", end->pid);
	return !strcmp(wanted, pid) || !fnmatch(wanted, end->comm, 0);
}

enum server_end server_end_asked(const struct asked_ends *asked, const struct end_summary *sender,
				 const struct end_summary *receiver)
{
	bool sender_serves = is_meant(asked->server, sender) || is_meant(asked->client, receiver);
	bool receiver_serves = is_meant(asked->server, receiver) || is_meant(asked->client, sender);

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
