/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the parts of calls, and what the time of a latency is spent for. */
#include "model/cause.h"

const char *const cost_names[NR_COSTS] = {
	[COST_DISPATCH] = "dispatch", [COST_SEND_PATH] = "send_path", [COST_ROOM] = "room",
	[COST_WAKEUP] = "wakeup",     [COST_RUNQUEUE] = "runqueue",   [COST_SWITCH] = "switch",
	[COST_BUSY] = "busy",         [COST_BLOCKED] = "blocked",     [COST_RECEIVE] = "receive",
	[COST_RETURN] = "return",     [COST_ON_CPU] = "on_cpu",       [COST_STOPPED] = "stopped",
	[COST_UNKNOWN] = "unknown",
};

const char *const cost_titles[NR_COSTS] = {
	[COST_DISPATCH] = "dispatch", [COST_SEND_PATH] = "send path", [COST_ROOM] = "room",
	[COST_WAKEUP] = "wakeup",     [COST_RUNQUEUE] = "run queue",  [COST_SWITCH] = "switch",
	[COST_BUSY] = "busy",         [COST_BLOCKED] = "blocked",     [COST_RECEIVE] = "receive",
	[COST_RETURN] = "return",     [COST_ON_CPU] = "on CPU",       [COST_STOPPED] = "stopped",
	[COST_UNKNOWN] = "not known",
};

const char *const cause_part_names[NR_CAUSE_PARTS] = {
	[PART_REQUEST] = "request",
	[PART_SERVICE] = "service",
	[PART_RESPONSE] = "response",
};
