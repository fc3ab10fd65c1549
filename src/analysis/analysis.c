/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes each record to the parts of the analysis that need the record. Each mode (run or attach)
 * has code that hands out finished messages at each watermark and at the end. A watermark is an
 * instant up to which all records have come.
 */
#include "analysis/analysis.h"

#include "analysis/attach/attach_state.h"
#include "analysis/attach/overlap.h"
#include "analysis/message_builder.h"
#include "analysis/state.h"
#include "analysis/units.h"
#include "analysis/container/step_limit.h"
#include "model/record_decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool begin(struct analysis *a)
{
	a->join = join__new();
	a->channels = channels__new();
	a->names = names__new();
	a->roles = roles__new();
	a->aggregate = aggregate__new(&a->summary, a->names);
	a->slow_messages = slow_messages__new(&a->summary.info);
	a->builder = message_builder__new();
	a->room_readers = room_readers__new(a->names);
	if (history_init(&a->history) || !a->names || !a->roles)
		return false;
	a->service_blame = service_blame__new(a->history.cpus, a->names, a->roles,
					      a->history.groups, a->summary.info.tracer_pid);
	return a->join && a->channels && a->aggregate && a->service_blame && a->slow_messages &&
	       a->builder && a->room_readers && a->mode->begin(a);
}

struct analysis *analysis__new(const struct run_info *info, message_fn *on_message, void *ctx)
{
	struct analysis *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->summary.info = *info;
	a->mode = info->mode == MODE_ATTACH ? &attach_mode : &run_mode;
	a->on_message = on_message;
	a->ctx = ctx;
	if (begin(a))
		return a;
	analysis__free(a);
	return NULL;
}

void analysis__free(struct analysis *a)
{
	if (!a)
		return;
	a->mode->free(a);
	units__free(a->units);
	message_builder__free(a->builder);
	slow_messages__free(a->slow_messages);
	aggregate__free(a->aggregate);
	service_blame__free(a->service_blame);
	room_readers__free(a->room_readers);
	roles__free(a->roles);
	names__free(a->names);
	channels__free(a->channels);
	join__free(a->join);
	history_clean(&a->history);
	summary_clean(&a->summary);
	free(a);
}

void analysis__set_on_call(struct analysis *a, call_fn *on_call)
{
	a->on_call = on_call;
}

int analysis__set_on_unit(struct analysis *a, enum unit_kind kind, bool has_causes,
			  unit_fn *on_unit, void *ctx)
{
	a->units = units__new(a, kind, has_causes, on_unit, ctx);
	if (!a->units)
		return -ENOMEM;
	return a->mode->want_messages ? a->mode->want_messages(a) : 0;
}

void analysis__leave_out_statistics(struct analysis *a)
{
	a->has_no_statistics = true;
}

static int add_receive(struct analysis *a, const struct record_receive *receive)
{
	size_t cnt;
	const uint64_t *change = receive_changes(receive, &cnt);
	int err = 0;

	if (receive->first != RECEIVE_FROM_WORKLOAD)
		err = timelines__add(a->history.timelines, receive->head.tid, change, cnt,
				     receive->first, receive->exit_ns);
	if (!err && a->units)
		err = units__received(a->units, receive);
	return err ? err : a->mode->receive(a, receive, cnt);
}

static int add_send(struct analysis *a, const struct record_send *send)
{
	int err = a->units ? units__sent(a->units, send) : 0;

	timelines__sent(a->history.timelines, send->head.tid);
	return err ? err : a->mode->send(a, send);
}

static int add_changes(struct analysis *a, const struct record_changes *changes)
{
	size_t cnt;
	const uint64_t *change = changes_changes(changes, &cnt);

	return timelines__add(a->history.timelines, changes->head.tid, change, cnt, changes->first,
			      changes->base_ns);
}

/* A recording of slow messages holds them as they were built when it was made. */
static int add_slow_message(struct analysis *a, const struct record_slow *record)
{
	struct message message;
	int found = slow_messages__record(a->slow_messages, record, &message);

	if (found <= 0)
		return found;
	aggregate__slow_message(a->aggregate, &message);
	return a->on_message ? a->on_message(a->ctx, &message) : 0;
}

static void add_found(struct found_summary *found, const struct record_found *record)
{
	*found = (struct found_summary){
		.known = true,
		.targets = record->targets,
		.connections = record->connections,
		.services = record->services,
		.elsewhere = record->elsewhere,
		.transport = record->transport,
		.now.pid = record->pid,
	};
	found_text(record, found->name);
	snprintf(found->now.comm, sizeof(found->now.comm), "%.*s", RECORD_COMM_LEN - 1,
		 record->comm);
}

/* The part that both modes share. */
static int dispatch(struct analysis *a, const struct record *record)
{
	switch (record->type) {
	case RECORD_SEND:
		return add_send(a, (const void *)record);
	case RECORD_RECEIVE:
		return add_receive(a, (const void *)record);
	case RECORD_ARRIVAL:
		return join__arrival(a->join, (const void *)record);
	case RECORD_CHANGES:
		return add_changes(a, (const void *)record);
	case RECORD_SLICE:
		return cpu_slices__add(a->history.cpus, (const void *)record);
	case RECORD_WAKER:
		return wakers__add(a->history.wakers, (const void *)record);
	case RECORD_IDLE:
		return idle_exits__add(a->history.idle_exits, (const void *)record);
	case RECORD_GROUP:
		return thread_groups__add(a->history.groups, (const void *)record);
	case RECORD_NAME:
		return names__add(a->names, (const void *)record);
	case RECORD_PROCESS:
		names__add_process(a->names, (const void *)record);
		return 0;
	case RECORD_CHANNEL:
		return channels__add(a->channels, (const void *)record);
	case RECORD_WAKEUP:
		return a->units ? units__woke(a->units, (const void *)record) : 0;
	case RECORD_LEFT:
		aggregate__left(a->aggregate, (const void *)record);
		return 0;
	case RECORD_FOUND:
		add_found(&a->summary.found, (const void *)record);
		return 0;
	case RECORD_STOP:
		a->summary.stopped_ns = ((const struct record_stop *)record)->at_ns;
		return 0;
	case RECORD_LOAD:
		aggregate__load(a->aggregate, (const void *)record);
		return 0;
	case RECORD_OBSERVER_EFFECT:
		aggregate__observer_effect(a->aggregate, (const void *)record);
		return 0;
	case RECORD_READER:
		aggregate__reader(a->aggregate, (const void *)record);
		return 0;
	case RECORD_STEAL:
		return aggregate__steal(a->aggregate, (const void *)record);
	case RECORD_END:
		aggregate__end(a->aggregate, (const void *)record);
		return 0;
	case RECORD_SLOW:
		return add_slow_message(a, (const void *)record);
	case RECORD_WATERMARK:
		return a->mode->settle(a, ((const struct record_watermark *)record)->before_ns);
	default:
		return 0;
	}
}

int analysis__record(struct analysis *a, const struct record *record)
{
	int err;

	step_limit_add_record();
	err = dispatch(a, record);
	if (!err)
		err = a->mode->record(a, record);
	if (step_limit_is_exceeded())
		return -E2BIG;
	if (err != -ENOSPC)
		return err;
	/* A refused receive or stamp needs no count: its send stays pending and counts at the end.
	 */
	if (record->type == RECORD_SEND)
		a->refused_sends++;
	return 0;
}

int analysis__finish(struct analysis *a)
{
	struct summary *slow = slow_messages__summary(a->slow_messages);
	int err = a->mode->settle(a, UINT64_MAX);

	if (!err)
		err = a->mode->finish(a);
	if (!err)
		err = service_blame__finish(a->service_blame, &a->summary.calls);
	if (!err)
		err = room_readers__finish(a->room_readers, &a->summary);
	if (step_limit_is_exceeded())
		return -E2BIG;
	if (slow)
		slow->integrity.truncated = a->summary.integrity.truncated;
	return err;
}

bool analysis__needs_starving(const struct analysis *a)
{
	return a->attach && overlap__shared(a->attach->overlap);
}

const struct summary *analysis__summary(const struct analysis *a)
{
	const struct summary *slow = slow_messages__summary(a->slow_messages);

	return slow ? slow : &a->summary;
}
