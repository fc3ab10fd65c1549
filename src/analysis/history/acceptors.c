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

struct watcher {
	uint64_t at_ns;
	uint64_t id; /* epoll or socket */
};

struct connected {
	uint64_t exit_ns;
	uint64_t listener;
};

struct answered {
	uint64_t at_ns;
};

struct program {
	uint64_t at_ns;
	uint32_t number;
};

/* The threads that use a listener or an epoll. */
struct users {
	uint64_t id;
	uint32_t tid[ACCEPTORS_MAX];
	uint32_t cnt;
	UT_hash_handle hh;
};

static void acceptors_log_init(struct event_log *log, size_t size)
{
	event_log_init(log, size);
	log->all_max = ACCEPTORS_KEPT_MAX;
	log->keeps_last = true;
}

void acceptors_init(struct acceptors *acceptors)
{
	acceptors->listener = acceptors->epoll = NULL;
	acceptors->port = NULL;
	acceptors_log_init(&acceptors->accepted, sizeof(struct acceptance));
	acceptors_log_init(&acceptors->watched, sizeof(struct watching));
	acceptors_log_init(&acceptors->watchers, sizeof(struct watcher));
	acceptors_log_init(&acceptors->sockets, sizeof(struct watcher));
	acceptors_log_init(&acceptors->programs, sizeof(struct program));
	acceptors_log_init(&acceptors->connects, sizeof(struct connected));
	acceptors_log_init(&acceptors->answers, sizeof(struct answered));
}

void acceptors_clean(struct acceptors *acceptors)
{
	event_log_clean(&acceptors->accepted);
	event_log_clean(&acceptors->watched);
	event_log_clean(&acceptors->watchers);
	event_log_clean(&acceptors->sockets);
	event_log_clean(&acceptors->programs);
	event_log_clean(&acceptors->connects);
	event_log_clean(&acceptors->answers);
	HASH_DROP_ALL(acceptors->listener);
	HASH_DROP_ALL(acceptors->epoll);
	HASH_DROP_ALL(acceptors->port);
}

static const struct watching *watching_at(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	struct events events = event_log_until(&acceptors->watched, tid, at_ns);

	return events.cnt ? (const struct watching *)events.event + events.cnt - 1 : NULL;
}

/* NULL: there are too many, or no memory. */
static struct users *users_of(struct users **table, uint64_t id, int *err)
{
	struct users *users;

	*err = 0;
	HASH_FIND(hh, *table, &id, sizeof(id), users);
	if (users || HASH_COUNT(*table) == ACCEPTED_AT_MAX)
		return users;
	HASH_ADD_NEW(*table, id, id, users);
	if (!users)
		*err = -ENOMEM;
	return users;
}

/* 0 or -ENOMEM. */
static int note_user(struct users **table, uint64_t id, uint32_t tid)
{
	int err;
	struct users *users = users_of(table, id, &err);

	for (uint32_t i = 0; users && i < users->cnt; i++) {
		if (users->tid[i] == tid)
			return 0;
	}
	if (users && users->cnt < ACCEPTORS_MAX)
		users->tid[users->cnt++] = tid;
	return err;
}

static int note_program(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns, uint32_t number)
{
	struct events events = event_log_until(&acceptors->programs, tid, UINT64_MAX);
	const struct program *last = events.event, program = {.at_ns = at_ns, .number = number};

	if (!number || (events.cnt && last[events.cnt - 1].number == number))
		return 0;
	return event_log_add(&acceptors->programs, tid, &program);
}

int acceptors_watch(struct acceptors *acceptors, const struct record_watch *record)
{
	uint32_t tid = record->head.tid;
	const struct watching watching = {
		.at_ns = record->at_ns,
		.what = record->what,
		.number = record->number,
		.flags = record->head.flags,
	};
	int err = 0;

	if (record->head.flags & WATCH_EPOLL)
		err = note_user(&acceptors->epoll, record->what, tid);
	else if (record->head.flags & WATCH_ACCEPT)
		err = note_user(&acceptors->listener, record->what, tid);
	if (!err)
		err = note_program(acceptors, tid, record->at_ns, record->program);
	return err ?: event_log_add(&acceptors->watched, tid, &watching);
}

static int note_port(struct acceptors *acceptors, const struct record_shared *record)
{
	struct port_listener *port;

	HASH_FIND(hh, acceptors->port, &record->listener, sizeof(record->listener), port);
	if (!port) {
		if (HASH_COUNT(acceptors->port) == ACCEPTED_AT_MAX)
			return 0;
		HASH_ADD_NEW(acceptors->port, id, record->listener, port);
		if (!port)
			return -ENOMEM;
	}
	port->group = record->group;
	port->epoll = record->epoll;
	return note_program(acceptors, record->head.tid, record->at_ns, record->program);
}

int acceptors_share(struct acceptors *acceptors, const struct record_shared *record)
{
	const struct watcher socket = {.at_ns = record->at_ns, .id = record->listener},
			     watcher = {.at_ns = record->at_ns, .id = record->epoll};

	if (record->head.flags & SHARED_PORT)
		return note_port(acceptors, record);
	if (record->head.flags & SHARED_SOCKET)
		return event_log_add(&acceptors->sockets, record->channel, &socket);
	return event_log_add(&acceptors->watchers, record->channel, &watcher);
}

int acceptors_accept(struct acceptors *acceptors, uint32_t tid, uint64_t exit_ns, uint64_t listener,
		     bool is_unix)
{
	const struct acceptance acceptance = {
		.exit_ns = exit_ns, .listener = listener, .is_unix = is_unix};

	if (!listener)
		return 0;
	return note_user(&acceptors->listener, listener, tid)
		       ?: event_log_add(&acceptors->accepted, tid, &acceptance);
}

int acceptors_connect(struct acceptors *acceptors, uint32_t tid, uint64_t exit_ns,
		      uint64_t listener)
{
	const struct connected connected = {.exit_ns = exit_ns, .listener = listener};

	return event_log_add(&acceptors->connects, tid, &connected);
}

static bool has_answered(struct acceptors *acceptors, uint32_t tid)
{
	return event_log_until(&acceptors->answers, tid, UINT64_MAX).cnt;
}

int acceptors_answer(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	const struct answered answered = {.at_ns = at_ns};

	return has_answered(acceptors, tid) ? 0
					    : event_log_add(&acceptors->answers, tid, &answered);
}

static const struct connected *connected_last(struct acceptors *acceptors, uint32_t tid,
					      uint64_t at_ns)
{
	struct events events = event_log_until(&acceptors->connects, tid, at_ns);

	return events.cnt ? (const struct connected *)events.event + events.cnt - 1 : NULL;
}

uint64_t acceptors_connected(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	const struct connected *last = connected_last(acceptors, tid, at_ns);

	return last ? last->exit_ns : 0;
}

uint32_t acceptors_asked(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	const struct connected *last = connected_last(acceptors, tid, at_ns);
	const uint32_t *users;
	uint32_t cnt;

	if (!last)
		return 0;
	users = acceptors_of(acceptors, last->listener, &cnt);
	return cnt == 1 && has_answered(acceptors, users[0]) ? users[0] : 0;
}

struct events acceptors_until(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns)
{
	return event_log_until(&acceptors->accepted, tid, at_ns);
}

static const uint32_t *list_users(struct users *table, uint64_t id, uint32_t *cnt)
{
	struct users *users;

	HASH_FIND(hh, table, &id, sizeof(id), users);
	*cnt = users ? users->cnt : 0;
	return users ? users->tid : NULL;
}

const uint32_t *acceptors_of(const struct acceptors *acceptors, uint64_t listener, uint32_t *cnt)
{
	return list_users(acceptors->listener, listener, cnt);
}

const uint32_t *acceptors_in_epoll(const struct acceptors *acceptors, uint64_t epoll, uint32_t *cnt)
{
	return list_users(acceptors->epoll, epoll, cnt);
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

static uint64_t last_watcher(struct event_log *log, uint32_t channel, uint64_t at_ns)
{
	struct events events = event_log_until(log, channel, at_ns);
	const struct watcher *watcher = events.event;

	return events.cnt ? watcher[events.cnt - 1].id : 0;
}

uint64_t acceptors_epoll_of(struct acceptors *acceptors, uint32_t channel, uint64_t at_ns)
{
	return last_watcher(&acceptors->watchers, channel, at_ns);
}

uint64_t acceptors_socket_of(struct acceptors *acceptors, uint32_t channel, uint64_t at_ns)
{
	return last_watcher(&acceptors->sockets, channel, at_ns);
}

bool acceptors_sleeps_in(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns, uint64_t epoll)
{
	const struct watching *watching = watching_at(acceptors, tid, at_ns);

	return watching && watching->flags & WATCH_EPOLL && watching->what == epoll;
}

const struct port_listener *acceptors_beside(const struct acceptors *acceptors, uint64_t listener,
					     const struct port_listener *last)
{
	const struct port_listener *port = last ? last->hh.next : acceptors->port;
	struct port_listener *own;

	HASH_FIND(hh, acceptors->port, &listener, sizeof(listener), own);
	if (!own)
		return NULL;
	while (port && step_limit_spend(1) && (port == own || port->group != own->group))
		port = port->hh.next;
	return port;
}

bool acceptors_are_one_program(struct acceptors *acceptors, uint32_t tid, uint32_t other)
{
	struct events of = event_log_until(&acceptors->programs, tid, UINT64_MAX);
	const struct program *program = of.event;
	uint32_t number = of.cnt ? program[of.cnt - 1].number : 0;

	of = event_log_until(&acceptors->programs, other, UINT64_MAX);
	program = of.event;
	return number && of.cnt && program[of.cnt - 1].number == number;
}

void acceptors_trim(struct acceptors *acceptors, uint64_t horizon_ns)
{
	event_log_trim(&acceptors->accepted, horizon_ns);
	event_log_trim(&acceptors->watched, horizon_ns);
	event_log_trim(&acceptors->watchers, horizon_ns);
	event_log_trim(&acceptors->sockets, horizon_ns);
	event_log_trim(&acceptors->programs, horizon_ns);
	event_log_trim(&acceptors->connects, horizon_ns);
	event_log_trim(&acceptors->answers, horizon_ns);
}
