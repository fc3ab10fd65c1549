/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which components of a message are known. */
#include "model/message.h"

/* Bits of enum component_need. */
static uint32_t needs_met(const struct message *message, bool is_attach)
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
	uint32_t lacks = components[component].needs & ~needs_met(message, is_attach);

	return !(lacks & ~NEEDS_SEEN) && (!lacks || message->component_ns[component]);
}
