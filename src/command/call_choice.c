/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts the options into the description of a run, with which the analysis begins. */
#include "command/call_choice.h"

#include "util/log.h"

#include <errno.h>
#include <stdio.h>

void call_choice_describe(struct run_info *info, const struct call_options *calls)
{
	info->calls_in_turn |= calls->in_turn;
	if (calls->server[0])
		snprintf(info->server, sizeof(info->server), "%s", calls->server);
	if (calls->client[0])
		snprintf(info->client, sizeof(info->client), "%s", calls->client);
}

int call_choice_check(const struct run_info *info, const struct call_options *calls)
{
	const char *option = calls->server[0] ? "--server" : "--calls";

	if (!calls->server[0] && !calls->in_turn)
		return 0;
	if (info->mode == MODE_ATTACH && !info->keeps_slower_ns)
		return 0;
	log_error("%s: the calls of this recording are fixed: %s: leave the option out", option,
		  info->mode == MODE_ATTACH
			  ? "it has slow messages and statistics only (--slower-than)"
			  : "it is not of an attach");
	return -EINVAL;
}
