/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the tables of components, of a service's states and of path classes: all that is known of
 * one of them, and all that is said of it, is in its row.
 */
#include "model/component.h"

#include <stddef.h>

#define NAMED(id)   .name = id, .class = "c-" id

#define END_UNKNOWN ", and what ends that is not known"

#define LIGHT       "not seen at level light"

const struct component_info components[NR_COSTS] = {
	[COMPONENT_DISPATCH] =
		{
			NAMED("dispatch"),
			.title = "dispatch",
			.mark = {"d", HUE_BLUE},
			.of_sender = true,
			.blame = BLAMES_SENDER,
			.needs = NEEDS_ROUND,
			.has_call = true,
			.does = "runs its own code before it sends",
			.is = "time before the send call (dispatch)",
			.part = "before the send",
			.verdict = {"", " is between its clock reading and the send call"},
			.verdict_light = {"",
					  " is between its clock reading and the send call, and "
					  "the send itself"},
			.of_clients = "the sending loop of ipctrace-server",
			.means = "from the stamp to the start of the send call",
			.happens = "the server of a run still sends to other clients",
			.helps = "fewer clients; several sending threads",
		},
	[COMPONENT_SEND_PATH] =
		{
			NAMED("send_path"),
			.title = "send path",
			.mark = {"s", HUE_CYAN},
			.of_sender = true,
			.blame = BLAMES_SENDER,
			.needs = NEEDS_CALLS,
			.light_run = LIGHT " (in dispatch)",
			.light_attach = LIGHT,
			.does = "sends the message: from its send call until the data can be read",
			.is = "the send path",
			.part = "send path",
			.verdict = {"from the start of the send call of ",
				    " until the data can be read"},
			.means = "the send call, until the receiver can see the message, less room",
			.happens =
				"the sender is in its send call, or the data are under way after "
				"it, and the receiver cannot read the data yet",
			.helps = "smaller messages",
		},
	[COMPONENT_ROOM] =
		{
			NAMED("room"),
			.title = "room",
			.mark = {"o", HUE_MAGENTA},
			.of_sender = true,
			.blame = BLAMES_RECEIVER,
			.row = ROW_IF_TIME,
			.needs = NEEDS_CALLS | NEEDS_ROOM,
			.lacking = "not in this recording (in send path)",
			.light_run = LIGHT " (in dispatch)",
			.light_attach = LIGHT,
			.does = "waits for room at the receiver",
			.is = "waiting for room at the receiver",
			.part = "waiting for room",
			.verdict = {"", " receives too slowly"},
			.means = "the sender, or its data, waits for room at the receiver",
			.happens = "the sender sleeps in its send call, or TCP data wait in its "
				   "socket, because the receiver's buffer, window or queue is full",
			.helps = "a faster receiver: the line *room* says what it did meanwhile",
		},
	[COMPONENT_WAKEUP] =
		{
			NAMED("wakeup"),
			.title = "wakeup",
			.mark = {"w", HUE_YELLOW},
			.in_switch = true,
			.does = "is asleep until its wakeup is done",
			.unknown = END_UNKNOWN,
			.is = "the wakeup of a receiver that sleeps",
			.part = "wakeup",
			.verdict = {"", " sleeps until the kernel has woken it up"},
			.of_clients = "the clients (ipctrace-cl-N) sleep until they are woken up",
			.means = "the receiver sleeps until it is woken up",
			.happens = "the data is there, but the receiver still sleeps",
			.helps = "receivers that check for data in a loop instead of sleeping; no "
				 "deep idle states of CPUs",
		},
	[COMPONENT_RUNQUEUE] =
		{
			NAMED("runqueue"),
			.title = "run queue",
			.legend = "run queue (waits for a CPU)",
			.mark = {"q", HUE_RED},
			.in_switch = true,
			.blame = BLAMES_WHAT_RAN,
			.needs = NEEDS_WAKEUP_SEEN,
			.does = "waits for a CPU",
			.unknown = ", and what ran there is not known",
			.is = "waiting for a CPU",
			.part = "waiting for a CPU",
			.verdict = {"", " waits"},
			.of_clients = "the clients (ipctrace-cl-N) wait for a CPU",
			.late = "while the sender waited for a CPU",
			.means = "the receiver is runnable and waits for a CPU",
			.happens = "the receiver is runnable, and waits for a CPU",
			.helps = "move what has the CPU to another one, or change a priority",
		},
	[COMPONENT_SWITCH] =
		{
			NAMED("switch"),
			.title = "switch",
			.mark = {"x", HUE_MAGENTA},
			.in_switch = true,
			.needs = NEEDS_SWITCH | NEEDS_SWITCH_SEEN,
			.lacking = "not shown by this kernel (in receive)",
			.does = "is being switched to",
			.is = "the switch to the receiver",
			.part = "switch",
			.verdict = {"the CPU switches to ", ""},
			.means = "the scheduler switches to the receiver",
			.happens =
				"the CPU switches to the receiver; before Linux 6.16 this is part "
				"of *receive*",
			.helps = "nothing",
		},
	[COMPONENT_BUSY] =
		{
			NAMED("busy"),
			.title = "busy",
			.mark = {"b", HUE_GREEN},
			.blame = BLAMES_RECEIVER,
			.row = ROW_IF_ANY,
			.has_call = true,
			.needs = NEEDS_CALLS,
			.light_run = LIGHT " (in receive)",
			.light_attach = LIGHT " (in receive)",
			.does = "runs other code before it receives",
			.is = "waiting while the receiver handles other things (busy)",
			.part = "receiver busy",
			.verdict = {"", " handles other things, such as earlier requests, before "
					"it receives"},
			.late = "while the sender ran other code",
			.means = "the receiver runs, outside of the receive call of this message",
			.happens = "the receiver has a CPU, but runs other code before it receives "
				   "the message",
			.helps = "more threads or processes that receive",
		},
	[COMPONENT_BLOCKED] =
		{
			NAMED("blocked"),
			.title = "blocked",
			.mark = {"k", HUE_GRAY},
			.blame = BLAMES_RECEIVER,
			.row = ROW_IF_ANY,
			.has_call = true,
			.does = "sleeps",
			.unknown = END_UNKNOWN,
			.is = "waiting for a receiver that sleeps (blocked)",
			.part = "receiver blocked",
			.verdict = {"", " sleeps"},
			.late = "while the sender slept",
			.means = "the receiver sleeps for another reason",
			.happens = "the receiver sleeps, but does not wait for this channel",
			.helps = "the report names the system call in which it sleeps",
		},
	[COMPONENT_RECEIVE] =
		{
			NAMED("receive"),
			.title = "receive",
			.mark = {"r", HUE_LIGHT_BLUE},
			.does = "is in its receive call",
			.is = "the receive call",
			.part = "receive",
			.verdict = {"", " is in its receive call"},
			.verdict_light = {"", " runs, in its receive call or before it"},
			.means = "the receiver is in the receive call",
			.happens = "the receiver has the CPU, and its receive call fetches the "
				   "message",
			.helps = "smaller messages",
		},
	[COMPONENT_RETURN] =
		{
			NAMED("return"),
			.title = "return",
			.mark = {"t", HUE_LIGHT_CYAN},
			.needs = NEEDS_ROUND | NEEDS_STAMPS | NEEDS_CALLS,
			.light_run = LIGHT " (in receive)",
			.does = "returns from its receive call",
			.is = "the return from the receive call",
			.part = "return",
			.verdict = {"", " returns from its receive call to its own code"},
			.means = "from the end of the receive call to the receiver's own clock "
				 "reading",
			.happens = "the receiver of a run returns to its own code, and reads the "
				   "clock",
			.helps = "nothing",
		},

	[COST_ON_CPU] =
		{
			NAMED("on_cpu"),
			.title = "on CPU",
			.has_call = true,
			.does = "runs its own code",
		},
	[COST_STOPPED] =
		{
			NAMED("stopped"),
			.title = "stopped",
			.does = "is stopped by a signal or a debugger",
			.unknown = END_UNKNOWN,
		},
	[COST_UNKNOWN] =
		{
			NAMED("unknown"),
			.title = "not known",
			.does = "does something that is not known",
			.unknown = "",
		},
};

const struct service_state_info service_states[NR_SERVICE_STATES] = {
	[SERVICE_ON_CPU] =
		{
			.name = "on_cpu",
			.title = "on CPU",
			.mark = {"c", HUE_GREEN},
			.is_part = "the server working",
			.part = "server runs",
			.is = "on CPU",
			.did = "ran",
			.verdict = "it ran on a CPU",
		},
	[SERVICE_RUNQUEUE] =
		{
			.name = "runqueue",
			.title = "run queue",
			.mark = {"q", HUE_RED},
			.is_part = "waiting for a CPU",
			.part = "waiting for a CPU",
			.is = "waiting for a CPU",
			.did = "waited for a CPU",
			.verdict = "it waited for a CPU",
		},
	[SERVICE_BLOCKED] =
		{
			.name = "blocked",
			.title = "asleep",
			.mark = {"k", HUE_GRAY},
			.is_part = "the server sleeping while it handles calls",
			.part = "server blocked",
			.is = "asleep",
			.did = "slept",
			.verdict = "it slept",
		},
	[SERVICE_WAKEUP] =
		{
			.name = "wakeup",
			.title = "being woken",
			.mark = {"w", HUE_YELLOW},
			.is_part = "the wakeup of a thread for the work",
			.part = "wakeup",
			.is = "being woken",
			.did = "was being woken",
			.verdict = "the thread that does the work was being woken",
		},
};

const struct path_info paths[NR_PATHS] = {
	[PATH_SLEPT] = {.name = "slept", .was = "was asleep on the channel"},
	[PATH_RUNNABLE] = {.name = "runnable", .was = "was already runnable"},
	[PATH_RUNNING] = {.name = "running", .was = "was already running"},
	[PATH_BLOCKED] = {.name = "blocked", .was = "was asleep for another reason"},
};
