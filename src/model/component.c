/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the names of components (parts of a latency) and path classes (states of a receiver). */
#include "model/component.h"

const char *const component_names[NR_COMPONENTS] = {
	[COMPONENT_DISPATCH] = "dispatch", [COMPONENT_SEND_PATH] = "send_path",
	[COMPONENT_ROOM] = "room",         [COMPONENT_WAKEUP] = "wakeup",
	[COMPONENT_RUNQUEUE] = "runqueue", [COMPONENT_SWITCH] = "switch",
	[COMPONENT_BUSY] = "busy",         [COMPONENT_BLOCKED] = "blocked",
	[COMPONENT_RECEIVE] = "receive",   [COMPONENT_RETURN] = "return",
};

const char *const component_titles[NR_COMPONENTS] = {
	[COMPONENT_DISPATCH] = "dispatch",  [COMPONENT_SEND_PATH] = "send path",
	[COMPONENT_ROOM] = "room",          [COMPONENT_WAKEUP] = "wakeup",
	[COMPONENT_RUNQUEUE] = "run queue", [COMPONENT_SWITCH] = "switch",
	[COMPONENT_BUSY] = "busy",          [COMPONENT_BLOCKED] = "blocked",
	[COMPONENT_RECEIVE] = "receive",    [COMPONENT_RETURN] = "return",
};

const char *const path_names[NR_PATHS] = {
	[PATH_SLEPT] = "slept",
	[PATH_RUNNABLE] = "runnable",
	[PATH_RUNNING] = "running",
	[PATH_BLOCKED] = "blocked",
};
