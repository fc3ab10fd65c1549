/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the stolen times of each CPU, in the order of their ends. They do not overlap. */
#include "analysis/history/steals.h"

#include "container/event_log.h"
#include "container/step_limit.h"

#include <stdlib.h>

struct stolen {
	uint64_t to_ns;
	uint64_t from_ns;
	uint64_t stolen_ns;
};

struct steals {
	struct event_log log; /* struct stolen, by CPU */
};

struct steals *steals__new(void)
{
	struct steals *steals = malloc(sizeof(*steals));

	if (steals)
		event_log_init(&steals->log, sizeof(struct stolen));
	return steals;
}

void steals__free(struct steals *steals)
{
	if (steals)
		event_log_clean(&steals->log);
	free(steals);
}

int steals__add(struct steals *steals, const struct record_stolen *record)
{
	const struct stolen stolen = {
		.to_ns = record->to_ns,
		.from_ns = record->from_ns,
		.stolen_ns = record->stolen_ns,
	};

	return event_log_add(&steals->log, record->head.cpu, &stolen);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 *	      from                              to
 *	|---- possible ----|-- certain --|-- possible --|
 *
 * No more can have been taken in the stretch than its part of a record is long, and no less than
 * what does not fit into the rest of the record.
 */
static void add(struct steal *steal, const struct stolen *stolen, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t begin_ns = stolen->from_ns > from_ns ? stolen->from_ns : from_ns;
	uint64_t common_ns = smaller(stolen->to_ns, to_ns) - begin_ns;
	uint64_t rest_ns = stolen->to_ns - stolen->from_ns - common_ns;
	uint64_t most_ns = smaller(stolen->stolen_ns, common_ns);
	uint64_t least_ns = stolen->stolen_ns > rest_ns ? stolen->stolen_ns - rest_ns : 0;

	least_ns = smaller(least_ns, most_ns);
	steal->certain_ns += least_ns;
	steal->possible_ns += most_ns - least_ns;
}

struct steal steals__within(struct steals *steals, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct events events = event_log_within(&steals->log, cpu, from_ns, UINT64_MAX);
	const struct stolen *stolen = events.event;
	struct steal steal = {0};

	for (size_t i = 0; i < events.cnt && stolen[i].from_ns < to_ns && step_limit_spend(1);
	     i++) {
		if (stolen[i].from_ns < stolen[i].to_ns)
			add(&steal, &stolen[i], from_ns, to_ns);
	}
	return steal;
}

size_t steals__cnt(const struct steals *steals)
{
	return steals->log.cnt;
}

void steals__trim(struct steals *steals, uint64_t horizon_ns)
{
	event_log_trim(&steals->log, horizon_ns);
}
