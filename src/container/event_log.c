/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the events of each owner in a deque. A hash table finds the deque of an owner. */
#include "container/event_log.h"

#include "container/step_limit.h"
#include "container/time_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void event_log_init(struct event_log *log, size_t size)
{
	*log = (struct event_log){.size = size, .owner_max = EVENT_LOG_MAX, .all_max = SIZE_MAX};
}

static void event_log_forget(struct event_log *log, struct event_owner *owner)
{
	log->cnt -= owner->deque.cnt;
	LRU_DELETE(log, owner);
	deque_free(&owner->deque, &owner->event, log->size);
	free(owner);
}

void event_log_clean(struct event_log *log)
{
	while (log->first)
		event_log_forget(log, log->first);
}

static void event_log_drop_oldest(struct event_log *log, struct event_owner *owner, size_t cnt)
{
	log->cnt -= cnt;
	deque_drop(&owner->deque, &owner->event, cnt, log->size);
}

static struct time_array times_of(const struct event_log *log, const struct event_owner *owner)
{
	return (struct time_array){owner->event, owner->deque.cnt, log->size, 0};
}

/* How many have happened by that instant. `near`: a guess. */
static size_t happened_by(const struct event_log *log, const struct event_owner *owner,
			  uint64_t at_ns, size_t near)
{
	return time_search_count(times_of(log, owner), at_ns, near);
}

static size_t over_by(const struct event_log *log, const struct event_owner *owner, uint64_t at_ns)
{
	struct time_array ends = {owner->event, owner->deque.cnt, log->size, log->end_at};

	return time_search_count(ends, at_ns, 0);
}

static int event_log_reserve(struct event_log *log, struct event_owner *owner)
{
	if (owner->deque.cnt == log->owner_max || log->cnt >= log->all_max)
		event_log_drop_oldest(log, owner, (owner->deque.cnt + 1) / 2);
	return deque_reserve(&owner->deque, &owner->event, 1, log->size);
}

int event_log_add(struct event_log *log, uint32_t id, const void *event)
{
	struct event_owner *owner;
	uint64_t at_ns;
	size_t at, later;
	char *place;

	LRU_FIND_OR_ADD(log, id, owner, LRU_THREADS_MAX, event_log_forget);
	if (!owner || event_log_reserve(log, owner))
		return -ENOMEM;
	memcpy(&at_ns, event, sizeof(at_ns));
	at = happened_by(log, owner, at_ns, owner->deque.cnt);
	later = owner->deque.cnt - at;
	step_limit_spend(later);
	place = owner->event + at * log->size;
	memmove(place + log->size, place, later * log->size);
	memcpy(place, event, log->size);
	owner->deque.cnt++;
	log->cnt++;
	return 0;
}

static struct event_owner *event_log_find(struct event_log *log, uint32_t id)
{
	struct event_owner *owner = LRU_GET(log, id);

	if (owner)
		LRU_USE(log, owner);
	return owner;
}

struct events event_log_until(struct event_log *log, uint32_t id, uint64_t until_ns)
{
	return event_log_within(log, id, 0, until_ns);
}

struct events event_log_within(struct event_log *log, uint32_t id, uint64_t from_ns,
			       uint64_t until_ns)
{
	struct event_owner *owner = event_log_find(log, id);
	size_t before, all;

	if (!owner)
		return (struct events){0};
	all = happened_by(log, owner, until_ns, time_search_guess(times_of(log, owner), until_ns));
	before = from_ns ? happened_by(log, owner, from_ns, all) : 0;
	return (struct events){
		.event = owner->event + before * log->size,
		.cnt = all > before ? all - before : 0,
	};
}

void event_log_trim(struct event_log *log, uint64_t horizon_ns)
{
	struct event_owner *owner, *next;

	HASH_ITER (hh, log->first, owner, next) {
		size_t old = horizon_ns ? over_by(log, owner, horizon_ns - 1) : 0;

		if (!step_limit_spend(STEPS_OF_THREAD))
			break;
		if (log->keeps_last && old)
			old--;
		if (old == owner->deque.cnt) {
			event_log_forget(log, owner);
			continue;
		}
		event_log_drop_oldest(log, owner, old);
		deque_fit(&owner->deque, &owner->event, log->size);
	}
}
