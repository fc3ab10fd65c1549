/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a thread watches is known from its sleep on, and a connection is accepted after a sleep:
 *
 *	 sleeps in epoll A    accepts from L         sleeps in epoll A
 *	-------|====A====|-----------|---------------------|====A====|---> time
 *
 * So a thread that sleeps in epoll A waits for connections of L.
 */
#include "analysis/history/acceptors.h"

#include "container/hash_table.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

/* So many connections of a thread are looked at. */
#define LOOKED_AT 64

/* Of all threads. */
#define ACCEPTORS_KEPT_MAX (1u << 17)

struct watching {
	uint64_t at_ns;
	uint64_t what;
	uint32_t number;
	uint32_t flags;
};

struct accepted_at {
	uint64_t id;
	uint32_t tid[ACCEPTORS_MAX];
	uint32_t cnt;
	UT_hash_handle hh;
};

void acceptors_init(struct acceptors *acceptors)
{
	acceptors->listener = NULL;
	event_log_init(&acceptors->accepted, sizeof(struct acceptance));
	event_log_init(&acceptors->watched, sizeof(struct watching));
	acceptors->accepted.all_max = acceptors->watched.all_max = ACCEPTORS_KEPT_MAX;
	acceptors->accepted.keeps_last = acceptors->watched.keeps_last = true;
}

void acceptors_clean(struct acceptors *acceptors)
{
	event_log_clean(&acceptors->accepted);
	event_log_clean(&acceptors->watched);
	HASH_DROP_ALL(acceptors->listener);
}

int acceptors_watch(struct acceptors *acceptors, const struct record_watch *record)
{
	const struct watching watching = {
		.at_ns = record->at_ns,
		.what = record->what,
		.number = record->number,
		.flags = record->head.flags,
	};

	return event_log_add(&acceptors->watched, record->head.tid, &watching);
}

static const struct watching *watching_at(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	struct events events = event_log_until(&acceptors->watched, tid, at_ns);

	return events.cnt ? (const struct watching *)events.event + events.cnt - 1 : NULL;
}

/* NULL: there are too many listeners, or no memory. */
static struct accepted_at *accepted_at(struct acceptors *acceptors, uint64_t listener, int *err)
{
	struct accepted_at *at;

	*err = 0;
	HASH_FIND(hh, acceptors->listener, &listener, sizeof(listener), at);
	if (at || HASH_COUNT(acceptors->listener) == ACCEPTED_AT_MAX)
		return at;
	HASH_ADD_NEW(acceptors->listener, id, listener, at);
	if (!at)
		*err = -ENOMEM;
	return at;
}

static void note_acceptor(struct accepted_at *at, uint32_t tid)
{
	for (uint32_t i = 0; i < at->cnt; i++) {
		if (at->tid[i] == tid)
			return;
	}
	if (at->cnt < ACCEPTORS_MAX)
		at->tid[at->cnt++] = tid;
}

int acceptors_accept(struct acceptors *acceptors, uint32_t tid, uint64_t exit_ns, uint64_t listener,
		     bool is_unix)
{
	const struct acceptance acceptance = {
		.exit_ns = exit_ns, .listener = listener, .is_unix = is_unix};
	struct accepted_at *at;
	int err;

	if (!listener)
		return 0;
	at = accepted_at(acceptors, listener, &err);
	if (at)
		note_acceptor(at, tid);
	return err ?: event_log_add(&acceptors->accepted, tid, &acceptance);
}

struct events acceptors_until(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	return event_log_until(&acceptors->accepted, tid, at_ns);
}

const uint32_t *acceptors_of(const struct acceptors *acceptors, uint64_t listener, uint32_t *cnt)
{
	struct accepted_at *at;

	HASH_FIND(hh, acceptors->listener, &listener, sizeof(listener), at);
	*cnt = at ? at->cnt : 0;
	return at ? at->tid : NULL;
}

/* Whether the thread has ever accepted from the listener when it had waited for this. */
static bool accepts_after(struct acceptors *acceptors, uint32_t tid, uint64_t what,
			  uint64_t listener)
{
	struct events events = acceptors_until(acceptors, tid, UINT64_MAX);
	const struct acceptance *acceptance = events.event;

	for (size_t i = 0; i < events.cnt && i < LOOKED_AT && step_limit_spend(1); i++) {
		const struct acceptance *one = &acceptance[events.cnt - 1 - i];
		const struct watching *watching;

		if (one->listener != listener)
			continue;
		watching = watching_at(acceptors, tid, one->exit_ns);
		if (watching && watching->what == what)
			return true;
	}
	return false;
}

bool acceptors_waits(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns, uint64_t listener,
		     bool polls, uint32_t number)
{
	const struct watching *watching = watching_at(acceptors, tid, at_ns);

	if (!watching)
		return false;
	if (watching->flags & WATCH_ACCEPT)
		return !polls && watching->number == number && watching->what == listener;
	return polls && accepts_after(acceptors, tid, watching->what, listener);
}

void acceptors_trim(struct acceptors *acceptors, uint64_t horizon_ns)
{
	event_log_trim(&acceptors->accepted, horizon_ns);
	event_log_trim(&acceptors->watched, horizon_ns);
}
