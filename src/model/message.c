/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which components of a message are known. */
#include "model/message.h"

bool message_knows(const struct message *message, enum component component, bool is_attach)
{
	switch (component) {
	case COMPONENT_DISPATCH:
		return message->has_round;
	/* In an attach no message has a stamp. */
	case COMPONENT_RETURN:
		return message->has_round && !message->hides_calls && !is_attach;
	case COMPONENT_SEND_PATH:
	case COMPONENT_BUSY:
		return !message->hides_calls;
	case COMPONENT_ROOM:
		return !message->hides_calls && message->shows_room;
	/* If only some of several waits or switches were traced, their time is known. */
	case COMPONENT_RUNQUEUE:
		return !message->unseen_wakeup || message->component_ns[COMPONENT_RUNQUEUE];
	case COMPONENT_SWITCH:
		return message->shows_switch &&
		       (!message->unseen_switch || message->component_ns[COMPONENT_SWITCH]);
	default:
		return true;
	}
}
