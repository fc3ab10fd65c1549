/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the tables of components and of path classes: all that is known of one of them, and said
 * of it, is in its row.
 */
#include "model/component.h"

#define NAMED(id) .name = id, .class = "c-" id

const struct component_info components[NR_COSTS] = {
	[COMPONENT_DISPATCH] = {NAMED("dispatch"), .title = "dispatch"},
	[COMPONENT_SEND_PATH] = {NAMED("send_path"), .title = "send path"},
	[COMPONENT_ROOM] = {NAMED("room"), .title = "room"},
	[COMPONENT_WAKEUP] = {NAMED("wakeup"), .title = "wakeup"},
	[COMPONENT_RUNQUEUE] = {NAMED("runqueue"), .title = "run queue"},
	[COMPONENT_SWITCH] = {NAMED("switch"), .title = "switch"},
	[COMPONENT_BUSY] = {NAMED("busy"), .title = "busy"},
	[COMPONENT_BLOCKED] = {NAMED("blocked"), .title = "blocked"},
	[COMPONENT_RECEIVE] = {NAMED("receive"), .title = "receive"},
	[COMPONENT_RETURN] = {NAMED("return"), .title = "return"},
	[COST_ON_CPU] = {NAMED("on_cpu"), .title = "on CPU"},
	[COST_STOPPED] = {NAMED("stopped"), .title = "stopped"},
	[COST_UNKNOWN] = {NAMED("unknown"), .title = "not known"},
};

const char *const path_names[NR_PATHS] = {
	[PATH_SLEPT] = "slept",
	[PATH_RUNNABLE] = "runnable",
	[PATH_RUNNING] = "running",
	[PATH_BLOCKED] = "blocked",
};
