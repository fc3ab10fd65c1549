/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the tables of what is said of a message: how it was joined, why it is incomplete, and what
 * ran while its receiver waited for a CPU. Also says which of its components are known.
 */
#include "model/message.h"

const char *const match_names[NR_MATCHES] = {
	[MATCH_EXACT] = "exact",
	[MATCH_RESYNCED] = "resynced",
	[MATCH_AMBIGUOUS] = "ambiguous",
	[MATCH_APPROXIMATE] = "approximate",
};

const struct incomplete_info incompletes[NR_INCOMPLETES] = {
	[INCOMPLETE_NOT_RECEIVED] = {"not_received", "not received"},
	[INCOMPLETE_NO_SEND] = {"no_send", "their send was not recorded"},
	[INCOMPLETE_NO_STAMP] = {"no_stamp", "the client's own stamp is missing"},
	[INCOMPLETE_STAMP] = {"stamp_mismatch", "the client's stamp is of another round"},
	[INCOMPLETE_HISTORY] = {"history_lost", "part of the receiver's history was lost"},
	[INCOMPLETE_NO_WAKEUP] = {"no_wakeup", "the wakeup was not recorded"},
	[INCOMPLETE_ORDER] = {"order", "instants out of order"},
	[INCOMPLETE_OVERFLOW] = {"overflow", "there was no room for them"},
	[INCOMPLETE_NOT_RECORDED] = {"not_recorded", "no record of them"},
	[INCOMPLETE_NO_ARRIVAL] = {"no_arrival", "no record says when they became visible"},
	[INCOMPLETE_NOT_TRACED] = {"not_traced", "one end was not traced when its call began"},
	[INCOMPLETE_UNKNOWN_START] = {"unknown_start",
				      "what was in their channel before is not known"},
	[INCOMPLETE_FORGOTTEN] = {"forgotten", "too many threads or channels: they were forgotten"},
};

const struct blame_class_info blame_classes[NR_BLAME_CLASSES] = {
	[BLAME_SERVER] = {.name = "server",
			  .in_attach = "sender",
			  .is_thread = true,
			  .is_user = true},
	[BLAME_CLIENT] = {.name = "client", .is_thread = true, .is_user = true},
	[BLAME_TASK] = {.name = "task", .is_thread = true, .is_user = true},
	[BLAME_KTHREAD] = {.name = "kthread", .is_thread = true},
	[BLAME_IRQ] = {.name = "irq", .is_interrupt = true},
	[BLAME_SOFTIRQ] = {.name = "softirq", .is_interrupt = true},
	[BLAME_IDLE] = {.name = "idle",
			.title = "CPU leaving idle",
			.culprit = "a CPU leaving idle",
			.brief = "CPU wakes up",
			.waits = {"waits until ", " has left idle"}},
	[BLAME_THROTTLED] = {.name = "throttled",
			     .title = "bandwidth control",
			     .culprit = "the CPU quota of a control group",
			     .brief = "CPU quota"},
	[BLAME_UNKNOWN] = {.name = "unknown",
			   .title = "not recorded",
			   .culprit = "an unknown task",
			   .brief = "not recorded",
			   .waits = {"waits for ", ", and what ran there is not known"}},
	[BLAME_IPCTRACE] = {.name = "ipctrace", .culprit = "ipctrace itself", .brief = "ipctrace"},
	[BLAME_STEAL] = {.name = "steal",
			 .title = "stolen by the host",
			 .culprit = "the host of the virtual machine",
			 .brief = "the host",
			 .waits = {"waits for ",
				   ", which the host of the virtual machine has taken away"}},
};

const struct blame_relation_info blame_relations[NR_BLAME_RELATIONS] = {
	[RELATION_NONE] = {.remark = ""},
	[RELATION_TARGET] = {.name = "target", .remark = ", a traced thread", .is_traced = true},
	[RELATION_PEER] = {.name = "peer", .remark = ", a thread of a peer", .is_traced = true},
	[RELATION_OTHER] = {.name = "other", .remark = ""},
};

/* Bits of enum component_need. */
static uint32_t message_needs_met(const struct message *message, bool is_attach)
{
	return (message->has_round ? NEEDS_ROUND : 0) |
	       (is_attach ? 0 : NEEDS_STAMPS) | /* in an attach no message has a stamp */
	       (message->hides_calls ? 0 : NEEDS_CALLS) | (message->shows_room ? NEEDS_ROOM : 0) |
	       (message->shows_switch ? NEEDS_SWITCH : 0) |
	       (message->unseen_wakeup ? 0 : NEEDS_WAKEUP_SEEN) |
	       (message->unseen_switch ? 0 : NEEDS_SWITCH_SEEN);
}

bool message_knows(const struct message *message, enum component component, bool is_attach)
{
	uint32_t lacks = components[component].needs & ~message_needs_met(message, is_attach);

	return !(lacks & ~NEEDS_SEEN) && (!lacks || message->component_ns[component]);
}
