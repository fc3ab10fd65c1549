/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes each record to the parts of the analysis that need it. The mode, run or attach, hands
 * out finished messages at the end, and at each watermark: all records up to it have come.
 */
#include "analysis/analysis.h"

#include "analysis/attach/attach_state.h"
#include "analysis/attach/calls/call_book.h"
#include "analysis/attach/calls/call_matcher.h"
#include "analysis/attach/channel_book.h"
#include "analysis/attach/connections/connections.h"
#include "analysis/attach/failing.h"
#include "analysis/attach/sleepers.h"
#include "analysis/attach/overlap.h"
#include "analysis/message_builder.h"
#include "analysis/state.h"
#include "analysis/units/units.h"
#include "container/step_limit.h"
#include "model/record_decode.h"
#include "model/stack_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool analysis_begin(struct analysis *a)
{
	a->join = join__new();
	a->channels = channels__new();
	a->names = names__new();
	a->roles = roles__new();
	a->aggregate = aggregate__new(&a->summary, a->names, a->lasting.mode->relation, a);
	a->builder = calloc(1, sizeof(*a->builder));
	a->room_readers = room_readers__new(a->names);
	a->failing = failing__new();
	a->sleepers = sleeper_book__new();
	if (!a->failing || !a->sleepers || history_init(&a->history) || !a->names || !a->roles)
		return false;
	a->service_blame =
		service_blame__new(&a->history, a->names, a->roles, a->summary.info.tracer_pid,
				   a->lasting.mode->relation, a);
	if (!a->join || !a->channels || !a->aggregate || !a->service_blame || !a->builder ||
	    !a->room_readers || !a->lasting.mode->begin(a))
		return false;
	if (a->lasting.wants.has_units)
		a->units = units__new(a);
	if (a->units && a->attach && a->lasting.wants.kind == UNIT_CONNECTION)
		connections__hand_out(a->attach->connections, connection_units_opened, a);
	return a->units || !a->lasting.wants.has_units;
}

struct analysis *analysis__new(const struct run_info *info, const struct analysis_request *request)
{
	struct analysis *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->summary.info = *info;
	a->lasting.mode = info->mode == MODE_ATTACH ? &attach_mode : &run_mode;
	if (request)
		a->lasting.wants = *request;
	a->lasting.kept = kept_summary__new(info);
	if (a->lasting.kept && analysis_begin(a))
		return a;
	analysis__free(a);
	return NULL;
}

/* What analysis_begin() has made. */
static void analysis_end(struct analysis *a)
{
	units__free(a->units);
	a->lasting.mode->free(a);
	free(a->builder);
	aggregate__free(a->aggregate);
	service_blame__free(a->service_blame);
	room_readers__free(a->room_readers);
	failing__free(a->failing);
	sleeper_book__free(a->sleepers);
	roles__free(a->roles);
	names__free(a->names);
	channels__free(a->channels);
	join__free(a->join);
	history_clean(&a->history);
	summary_clean(&a->summary);
}

void analysis__free(struct analysis *a)
{
	if (!a)
		return;
	analysis_end(a);
	kept_summary__free(a->lasting.kept);
	stack_names__free(a->lasting.stack_names);
	number_table_clean(&a->lasting.windows.numbers);
	free(a);
}

static int analysis_add_receive(struct analysis *a, const struct record_receive *receive)
{
	size_t cnt;
	const uint64_t *change = receive_changes(receive, &cnt);
	int err = 0;

	if (receive->first != RECEIVE_FROM_WORKLOAD)
		err = timelines__add(a->history.timelines, receive->head.tid, change, cnt,
				     receive->first, receive->exit_ns);
	if (!err && a->units)
		err = units__received(a->units, receive);
	return err ? err : a->lasting.mode->receive(a, receive, cnt);
}

static int analysis_add_send(struct analysis *a, const struct record_send *send)
{
	int err = a->units ? units__sent(a->units, send) : 0;

	timelines__sent(a->history.timelines, send->head.tid);
	timelines__known(a->history.timelines, send->head.tid,
			 send->queued_ns > send->send_ns ? send->queued_ns : send->send_ns);
	return err ? err : a->lasting.mode->send(a, send);
}

static int analysis_add_changes(struct analysis *a, const struct record_changes *changes)
{
	size_t cnt;
	const uint64_t *change = changes_changes(changes, &cnt);

	return timelines__add(a->history.timelines, changes->head.tid, change, cnt, changes->first,
			      changes->base_ns);
}

static int analysis_add_wakeup(struct analysis *a, const struct record_wakeup *wakeup)
{
	timelines__known(a->history.timelines, wakeup->head.tid, wakeup->at_ns);
	return a->units ? units__woke(a->units, wakeup) : 0;
}

static int analysis_add_waker(struct analysis *a, const struct record_waker *waker)
{
	if (waker->head.flags & WAKER_IS_SHOWN)
		timelines__known(a->history.timelines, waker->head.tid, waker->at_ns);
	return deep_events__add(a->history.deep, &waker->head);
}

static int flush(struct analysis *a)
{
	return a->lasting.windows.is_on && a->lasting.mode->flush ? a->lasting.mode->flush(a) : 0;
}

static void windows_begin(struct windows *windows, const struct record_window *record,
			  const struct begin *begin)
{
	if (!windows->is_on)
		windows->begin = *begin;
	windows->is_on = true;
	windows->is_finished = false;
	windows->from_ns = record->from_ns;
	windows->before_ns = 0;
	number_table_clean(&windows->numbers);
	windows->summary.known = true;
	windows->summary.windows++;
	windows->summary.shortened += record->head.flags & WINDOW_SHORTENED;
}

/*
 * A window has its own analysis: what was under way before it has no end here, and the statistics
 * of all messages come last.
 */
static int analysis_begin_window(struct analysis *a, const struct record_window *record)
{
	struct run_info info = a->summary.info;
	int err = flush(a);

	if (err)
		return err;
	step_limit_spend(STEPS_OF_WINDOW);
	analysis_end(a);
	*a = (struct analysis){.lasting = a->lasting};
	windows_begin(&a->lasting.windows, record, &info.begin);
	info.begin.ns = record->begun_ns;
	a->summary.info = info;
	return analysis_begin(a) ? 0 : -ENOMEM;
}

/* What threads did is handed out before the history of it is trimmed. */
static int analysis_settle(struct analysis *a, uint64_t before_ns)
{
	int err = thread_moments_settle(a, before_ns);

	return err ? err : a->lasting.mode->settle(a, before_ns);
}

static int add_watermark(struct analysis *a, const struct record_watermark *watermark)
{
	uint64_t before_ns = watermark->before_ns;
	int err;

	a->lasting.windows.before_ns = before_ns;
	err = analysis_settle(a, before_ns);
	if (err || !a->lasting.windows.is_on || before_ns != UINT64_MAX)
		return err;
	/* The window goes on to the end of tracing. */
	a->lasting.windows.is_finished = true;
	return a->lasting.mode->finish(a);
}

static void analysis_add_found(struct found_summary *found, const struct record_found *record)
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
	record_text(&record->head, sizeof(*record), found->name);
	snprintf(found->now.comm, sizeof(found->now.comm), "%.*s", RECORD_COMM_LEN - 1,
		 record->comm);
}

/* A TRIGGER or NUMBER. 0 or -ENOMEM. */
static int windows_record(struct windows *windows, const struct record *record)
{
	struct window_summary *summary = &windows->summary;
	const struct record_trigger *trigger = (const void *)record;
	const struct record_number *number = (const void *)record;

	if (record->type == RECORD_NUMBER)
		return number_table_add(&windows->numbers, number->channel, number->position,
					number->number);
	summary->triggers++;
	if (summary->trigger_cnt == WINDOW_TRIGGERS_MAX)
		return 0;
	summary->trigger[summary->trigger_cnt++] = (struct window_trigger){
		.channel = trigger->channel,
		.tid = trigger->head.tid,
		.quantity = trigger->quantity,
		.is_call = trigger->head.flags & TRIGGER_IS_CALL,
		.position = trigger->position,
		.from_ns = trigger->from_ns,
		.at_ns = trigger->at_ns,
		.value_ns = trigger->value_ns,
	};
	return 0;
}

/* What comes once, about all of tracing. */
static int add_of_session(struct analysis *a, const struct record *record)
{
	int err;

	switch (record->type) {
	case RECORD_FOUND:
		analysis_add_found(&a->summary.found, (const void *)record);
		return 0;
	case RECORD_ASLEEP:
		return sleeper_book__add(a->sleepers, (const void *)record);
	case RECORD_END:
		a->lasting.has_end = true;
		return aggregate__record(a->aggregate, record);
	case RECORD_SUMMARY:
		/* One that cannot be read is left out. */
		err = kept_summary__record(a->lasting.kept, (const void *)record);
		return err == -EINVAL ? 0 : err;
	case RECORD_STACK:
	case RECORD_FRAMES:
	case RECORD_SYMBOL:
	case RECORD_STACKS:
		return a->units ? units__stack(a->units, record) : 0;
	default:
		return aggregate__record(a->aggregate, record);
	}
}

/* What only level deep records, or else of the session. */
static int add_deep(struct analysis *a, const struct record *record)
{
	switch (record->type) {
	case RECORD_WAKER:
		return analysis_add_waker(a, (const void *)record);
	case RECORD_TIMEOUT:
	case RECORD_SPARE:
	case RECORD_IDLE:
	case RECORD_STOLEN:
	case RECORD_CALL:
	case RECORD_CALLS:
	case RECORD_FAULTS:
	case RECORD_RECLAIM:
	case RECORD_DIRTY:
	case RECORD_DISK:
	case RECORD_FUTILE:
	case RECORD_OWN_ROOM:
	case RECORD_KERNEL_LOCK:
	case RECORD_WATCH:
	case RECORD_SHARED:
	case RECORD_GROUP:
		return deep_events__add(a->history.deep, record);
	case RECORD_FAILED:
		return failing__add(a->failing, (const void *)record);
	default:
		return add_of_session(a, record);
	}
}

/* The part that both modes share. 0, -errno, or RECORD_IS_NOT_MINE. */
static int dispatch(struct analysis *a, const struct record *record)
{
	switch (record->type) {
	case RECORD_SEND:
		return analysis_add_send(a, (const void *)record);
	case RECORD_RECEIVE:
		return analysis_add_receive(a, (const void *)record);
	case RECORD_ARRIVAL:
		return join__arrival(a->join, (const void *)record);
	case RECORD_RETRANSMIT:
		return join__retransmit(a->join, (const void *)record);
	case RECORD_CHANGES:
		return analysis_add_changes(a, (const void *)record);
	case RECORD_SLICE:
		return cpu_slices__add(a->history.cpus, (const void *)record);
	case RECORD_ADDRESS:
		return failing__address(a->failing, (const void *)record) ?: RECORD_IS_NOT_MINE;
	case RECORD_NAME:
		return names__add(a->names, (const void *)record);
	case RECORD_PROCESS:
		names__add_process(a->names, (const void *)record);
		return 0;
	case RECORD_CHANNEL:
		return channels__add(a->channels, (const void *)record);
	case RECORD_WAKEUP:
	case RECORD_FUTEX_WAKEUP:
		return analysis_add_wakeup(a, (const void *)record);
	case RECORD_CONNECT:
		return a->units ? units__connected(a->units, (const void *)record) : 0;
	case RECORD_ACCEPT:
		return a->units ? units__accepted(a->units, (const void *)record) : 0;
	case RECORD_WINDOW:
		return analysis_begin_window(a, (const void *)record);
	case RECORD_TRIGGER:
	case RECORD_NUMBER:
		return windows_record(&a->lasting.windows, record);
	case RECORD_WATERMARK:
		return add_watermark(a, (const void *)record);
	default:
		return add_deep(a, record);
	}
}

static int analysis_add(struct analysis *a, const struct record *record)
{
	int err, mode_err;

	/* A forged recording has events behind the end of tracing. They would need what is
	 * finished. */
	if (a->lasting.windows.is_finished && record->type != RECORD_WINDOW) {
		err = add_of_session(a, record);
		return err == RECORD_IS_NOT_MINE ? 0 : err;
	}
	err = dispatch(a, record);
	if (err && err != RECORD_IS_NOT_MINE)
		return err;
	mode_err = a->lasting.mode->record(a, record);
	if (mode_err != RECORD_IS_NOT_MINE)
		return mode_err;
	a->lasting.left_out[record->type] += err == RECORD_IS_NOT_MINE;
	return 0;
}

int analysis__record(struct analysis *a, const struct record *record)
{
	int err;

	step_limit_add_record();
	err = analysis_add(a, record);
	if (step_limit_is_exceeded())
		return -E2BIG;
	if (err != -ENOSPC)
		return err;
	/*
	 * A refused receive or stamp needs no count: its send stays pending and counts at the end.
	 */
	if (record->type == RECORD_SEND)
		a->refused_sends++;
	return 0;
}

static int analysis_finish(struct analysis *a)
{
	int err = analysis_settle(a, UINT64_MAX);

	if (!err && a->attach)
		err = failing__finish(a->failing, &a->attach->naming, &a->summary);
	if (!err)
		err = sleeper_book__finish(a->sleepers, &a->summary);
	if (!err)
		err = a->lasting.mode->finish(a);
	if (!err)
		err = service_blame__finish(a->service_blame, &a->summary.calls);
	if (!err)
		err = room_readers__finish(a->room_readers, &a->summary);
	return err;
}

/* What is not complete at the end of the last window is outside of it. */
int analysis__finish(struct analysis *a)
{
	struct summary *kept = kept_summary__summary(a->lasting.kept);
	int err = a->lasting.windows.is_on ? flush(a) : analysis_finish(a);
	struct run_info info = a->summary.info;

	/* The statistics of one window say nothing: the kept ones are those of all messages. */
	if (a->lasting.windows.is_on) {
		info.begin = a->lasting.windows.begin;
		summary_clean(&a->summary);
		a->summary = (struct summary){.info = info};
		a->summary.integrity.truncated = !a->lasting.has_end;
	}
	if (step_limit_is_exceeded())
		return -E2BIG;
	a->summary.windows = a->lasting.windows.summary;
	if (kept) {
		kept->windows = a->lasting.windows.summary;
		kept->integrity.truncated = a->summary.integrity.truncated;
	}
	return err;
}

bool analysis__needs_starving(const struct analysis *a)
{
	return a->attach && overlap__shared(a->attach->overlap);
}

int analysis__each_fact(const struct analysis *a, analysis_fact_fn *fn, void *ctx)
{
	return a->attach ? call_facts_each(a->attach->matcher, fn, ctx) : 0;
}

uint64_t analysis__slowest(const struct analysis *a, enum unit_kind unit, struct end_summary *to)
{
	if (unit == UNIT_CALL)
		return call_book__slowest(a->attach->calls, to);
	return channel_book__slowest(a->attach->book, to);
}

uint64_t analysis__left_out(const struct analysis *a, unsigned int type)
{
	return a->lasting.left_out[type];
}

uint64_t analysis__horizon_ns(const struct analysis *a)
{
	return a->horizon_ns;
}

const struct summary *analysis__summary(const struct analysis *a)
{
	const struct summary *kept = kept_summary__summary(a->lasting.kept);

	return kept ? kept : &a->summary;
}

struct stack_names *analysis__take_stack_names(struct analysis *a)
{
	struct stack_names *names = a->lasting.stack_names;

	a->lasting.stack_names = NULL;
	return names;
}
