/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which threads sleep in calls for messages, and finds the processes at the other ends. */
#include "command/live/target/asleep.h"

#include "command/channels/gathering.h"
#include "util/log.h"

#include <stdlib.h>
#include <string.h>

/* Records of one instant. */
#define ASLEEP_RECORDS_MAX 256

void sleepers_free(struct sleepers *sleepers)
{
	free(sleepers->sleeper);
	*sleepers = (struct sleepers){0};
}

static bool is_pipe(const struct connection *connection)
{
	return TRANSPORT_BIT(connection->transport) & TRANSPORTS_PIPES;
}

static bool is_at_end(const struct connection *connection, const struct end *end,
		      const struct sleeper *sleeper)
{
	return end && end->inode == sleeper->inode && is_pipe(connection) == !sleeper->is_socket;
}

/* Which of the ends of a connection the thread uses; both ends of a pipe are the same file. */
static bool is_from(const struct connection *connection, const struct sleeper *sleeper)
{
	return is_pipe(connection) ? sleeper->record.head.flags & ASLEEP_FOR_ROOM
				   : is_at_end(connection, connection->from, sleeper);
}

/*
 * Which of several processes is meant is not known, unless one is that of the thread itself: a pipe
 * is often open there, too.
 */
static void note_owner(struct record_asleep *record, const struct holding *holding)
{
	const struct owner *first = &holding->first;
	bool is_pair = holding->cnt == 2;

	if (holding->cnt == 1 || (is_pair && holding->last_pid == record->pid)) {
		record->other = first->pid;
		memcpy(record->other_comm, first->comm, sizeof(record->other_comm));
	} else if (is_pair && first->pid == record->pid) {
		record->other = holding->last_pid;
	}
}

/* A socket that receives from several others waits for any of them: none is named. */
static void find_other(struct record_asleep *record, const struct channel_list *list,
		       const struct sleeper *sleeper)
{
	const struct connection *only = NULL;
	const struct end *other;

	for (size_t i = 0; sleeper->inode && i < list->connection_cnt; i++) {
		const struct connection *connection = &list->connection[i];

		if (!is_at_end(connection, connection->from, sleeper) &&
		    !is_at_end(connection, connection->to, sleeper))
			continue;
		if (only || connection->others)
			return;
		only = connection;
	}
	if (!only)
		return;
	record->transport = only->transport;
	other = is_from(only, sleeper) ? only->to : only->from;
	if (other)
		note_owner(record, &other->holding);
}

/* What is known of one instant, and where it goes. */
struct putting {
	const struct channel_list *list; /* NULL: the channels are not known */
	const struct sleepers *first;    /* NULL: these are the first */
	record_put_fn *put;
	void *ctx;
	uint32_t other[ASLEEP_RECORDS_MAX]; /* of the records that were put */
	size_t cnt;                         /* records */
};

static bool putting_has_other(const struct putting *putting, uint32_t pid)
{
	for (size_t i = 0; i < putting->cnt; i++) {
		if (putting->other[i] == pid)
			return true;
	}
	return false;
}

static bool slept_all_time(const struct sleepers *first, const struct sleeper *sleeper)
{
	for (size_t i = 0; i < first->cnt; i++) {
		if (first->sleeper[i].record.head.tid == sleeper->record.head.tid)
			return first->sleeper[i].sleeps == sleeper->sleeps;
	}
	return false;
}

static int put_sleeper(struct putting *putting, const struct sleeper *sleeper)
{
	struct record_asleep record = sleeper->record;

	if (putting->cnt == ASLEEP_RECORDS_MAX)
		return 0;
	if (!putting->first)
		record.head.flags |= ASLEEP_AT_BEGIN;
	else if (slept_all_time(putting->first, sleeper))
		record.head.flags |= ASLEEP_ALL_TIME;
	if (putting->list)
		find_other(&record, putting->list, sleeper);
	putting->other[putting->cnt++] = record.other;
	return putting->put(putting->ctx, &record.head);
}

static bool is_of_kind(const struct sleeper *sleeper, unsigned int kinds)
{
	return sleeper->record.head.flags & kinds;
}

static int put_kinds(struct putting *putting, const struct sleepers *sleepers, unsigned int kinds)
{
	int err = 0;

	for (size_t i = 0; !err && i < sleepers->cnt; i++) {
		if (is_of_kind(&sleepers->sleeper[i], kinds))
			err = put_sleeper(putting, &sleepers->sleeper[i]);
	}
	return err;
}

/* What the processes at the other ends wait for instead. */
static int put_others(struct putting *putting, const struct sleepers *sleepers, unsigned int kinds)
{
	int err = 0;

	for (size_t i = 0; !err && i < sleepers->cnt; i++) {
		const struct sleeper *sleeper = &sleepers->sleeper[i];

		if (!is_of_kind(sleeper, kinds) && putting_has_other(putting, sleeper->record.pid))
			err = put_sleeper(putting, sleeper);
	}
	return err;
}

static bool has_kind(const struct sleepers *sleepers, unsigned int kinds)
{
	for (size_t i = 0; i < sleepers->cnt; i++) {
		if (is_of_kind(&sleepers->sleeper[i], kinds))
			return true;
	}
	return false;
}

static int put_with_channels(struct putting *putting, const struct sleepers *sleepers,
			     unsigned int kinds)
{
	struct gathering gathering = {0};
	int err = 0;

	if (!has_kind(sleepers, kinds))
		return 0;
	if (!gathering_read(&gathering))
		putting->list = gathering.list;
	else
		log_info("the other ends of channels on which threads wait are not known");
	err = put_kinds(putting, sleepers, kinds);
	if (!err && putting->first)
		err = put_others(putting, sleepers, kinds);
	gathering_free(&gathering);
	return err;
}

int sleepers_put_first(const struct sleepers *first, record_put_fn *put, void *ctx)
{
	struct putting putting = {.put = put, .ctx = ctx};

	return put_with_channels(&putting, first, ASLEEP_FOR_ROOM);
}

int sleepers_put_last(const struct sleepers *last, const struct sleepers *first, bool is_silent,
		      record_put_fn *put, void *ctx)
{
	struct putting putting = {.first = first, .put = put, .ctx = ctx};
	unsigned int kinds = ASLEEP_FOR_ROOM | ASLEEP_STOPPED;

	return put_with_channels(&putting, last, is_silent ? kinds | ASLEEP_FOR_DATA : kinds);
}
