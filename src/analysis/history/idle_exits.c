/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the times at which each CPU left idle. */
#include "analysis/history/idle_exits.h"

#include "container/event_log.h"

#include <stdlib.h>

struct idle_exits {
	struct event_log log; /* struct idle_exit, by CPU */
};

struct idle_exits *idle_exits__new(void)
{
	struct idle_exits *exits = malloc(sizeof(*exits));

	if (exits)
		event_log_init(&exits->log, sizeof(struct idle_exit));
	return exits;
}

void idle_exits__free(struct idle_exits *exits)
{
	if (exits)
		event_log_clean(&exits->log);
	free(exits);
}

int idle_exits__add(struct idle_exits *exits, const struct record_idle *record)
{
	const struct idle_exit exit = {
		.left_ns = record->left_ns,
		.idle_ns = record->idle_ns,
		.switch_ns = record->switch_ns,
		.tid = record->head.tid,
	};

	return event_log_add(&exits->log, record->head.cpu, &exit);
}

bool idle_exits__find(struct idle_exits *exits, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		      struct idle_exit *exit)
{
	struct events events = event_log_until(&exits->log, cpu, to_ns);
	const struct idle_exit *last;

	if (!events.cnt)
		return false;
	last = (const struct idle_exit *)events.event + events.cnt - 1;
	if (last->left_ns < from_ns)
		return false;
	*exit = *last;
	return true;
}

size_t idle_exits__cnt(const struct idle_exits *exits)
{
	return exits->log.cnt;
}

void idle_exits__trim(struct idle_exits *exits, uint64_t horizon_ns)
{
	event_log_trim(&exits->log, horizon_ns);
}
