/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the parts of a connection, and maps the components of messages to these parts. */
#include "model/connection.h"

const char *const connection_parts[NR_CONNECTION_PARTS] = {
	[CONNECTION_CONNECT] = "connect", [CONNECTION_QUEUE] = "queue",
	[CONNECTION_WAKEUP] = "wakeup",   [CONNECTION_RUNQUEUE] = "run queue",
	[CONNECTION_SWITCH] = "switch",   [CONNECTION_ACCEPT] = "accept",
};

enum connection_part connection_part_of(enum component component)
{
	switch (component) {
	case COMPONENT_WAKEUP:
		return CONNECTION_WAKEUP;
	case COMPONENT_RUNQUEUE:
		return CONNECTION_RUNQUEUE;
	case COMPONENT_SWITCH:
		return CONNECTION_SWITCH;
	case COMPONENT_BUSY:
	case COMPONENT_BLOCKED:
		return CONNECTION_QUEUE;
	case COMPONENT_RECEIVE:
		return CONNECTION_ACCEPT;
	default:
		return CONNECTION_CONNECT;
	}
}
