/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills in what the summary does not need of a message, and passes it on as a unit. */
#include "analysis/units/units.h"

#include "analysis/attach/connections/connections.h"
#include "analysis/attach/sleepers.h"
#include "analysis/breakdown/blame.h"
#include "analysis/causes/span_causes.h"
#include "analysis/causes/turns.h"
#include "container/step_limit.h"
#include "analysis/state.h"
#include "model/blocked_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The history is kept for so long, so that what happened before a message, and what goes on while
 * it waits for its round, is known. Entries beyond this count are only kept for the least time.
 */
#define HELD_NS_MAX  1280000000ULL
#define HELD_NS_MIN  10000000ULL
#define HELD_CNT_MAX (1u << 18)

int units_put(void *ctx, const struct unit *unit)
{
	struct units *units = ctx;

	return windows_have(units->windows, unit->from_ns, unit->to_ns)
		       ? unit_stacks_put(&units->stacks, unit)
		       : 0;
}

/* For struct cutter. */
static uint32_t reader_of(void *ctx, uint32_t channel)
{
	struct units *units = ctx;
	const struct used_channel *used = LRU_GET(units, channel);

	return used ? used->reader : 0;
}

/* The same. */
static bool asks_on(void *ctx, uint32_t channel)
{
	struct units *units = ctx;
	const struct used_channel *used = LRU_GET(units, channel);

	return used && used->has_requests;
}

/* The same. */
static uint32_t first_wait(void *ctx, uint32_t tid, uint64_t began_ns)
{
	struct units *units = ctx;

	return sleeper_book__waits_for(units->sleepers, tid, began_ns);
}

struct units *units__new(struct analysis *a)
{
	const struct run_info *info = &a->summary.info;
	struct units *units = calloc(1, sizeof(*units));

	if (!units)
		return NULL;
	units->wants = &a->lasting.wants;
	units->has_rounds = info->mode == MODE_ATTACH || spec_has_rounds(&info->workload);
	units->held_ns = HELD_NS_MAX;
	units->windows = &a->lasting.windows;
	units->sleepers = a->sleepers;
	units->stacks.on_unit = units->wants->on_unit;
	units->stacks.ctx = units->wants->ctx;
	units->stacks.names = &a->lasting.stack_names;
	units->cutter = (struct cutter){
		.history = &a->history,
		.names = a->names,
		.roles = {.tracer_pid = info->tracer_pid, .roles = a->roles},
		.reader_of = reader_of,
		.asks_on = asks_on,
		.first_wait = first_wait,
		.shows_interrupts = info->level == LEVEL_DEEP,
		.ctx = units,
	};
	thread_log_init(&units->cutter.sent);
	thread_log_init(&units->cutter.received);
	thread_log_init(&units->cutter.woken);
	/* Rounds of a run are complete with a message for every client. */
	if (units->wants->kind == UNIT_CALL || units->wants->kind == UNIT_CONNECTION)
		units->store = unit_store__new();
	else
		units->rounds = round_units__new(
			info->mode == MODE_RUN ? info->workload.clients : 0,
			units->wants->kind == UNIT_ROUND ? units_put : NULL, units);
	if (units->store || units->rounds)
		return units;
	units__free(units);
	return NULL;
}

bool units__need_causes(struct units *units, uint64_t from_ns, uint64_t to_ns)
{
	return units->wants->has_causes &&
	       (!units->wants->causes_within ||
		spans_meet(units->wants->causes_within, from_ns, to_ns, &units->within_near));
}

void units__free(struct units *units)
{
	if (!units)
		return;
	while (units->first)
		LRU_DROP(units, units->first);
	event_log_clean(&units->cutter.sent);
	event_log_clean(&units->cutter.received);
	event_log_clean(&units->cutter.woken);
	round_units__free(units->rounds);
	unit_store__free(units->store);
	unit_stacks_clean(&units->stacks);
	free(units);
}

int units__connected(struct units *units, const struct record_connect *connect)
{
	const struct cutter *cutter = &units->cutter;
	struct deep_events *deep = cutter->history->deep;
	int err;

	if (!cutter->shows_interrupts)
		return 0;
	err = acceptors_connect(deep_events__acceptors(deep), connect->head.tid, connect->exit_ns,
				connect->listener);
	return err
		       ?: futile_wakes_connect(deep_events__futile(deep), connect->head.tid,
					       connect->enter_ns, connect->exit_ns);
}

int units__accepted(struct units *units, const struct record_accept *accept)
{
	const struct cutter *cutter = &units->cutter;

	if (!cutter->shows_interrupts)
		return 0;
	return acceptors_accept(deep_events__acceptors(cutter->history->deep), accept->head.tid,
				accept->exit_ns, accept->listener, accept->family == FAMILY_UNIX);
}

int units__sent(struct units *units, const struct record_send *send)
{
	const struct thread_event event = {.at_ns = send->send_ns ? send->send_ns : send->queued_ns,
					   .channel = send->channel};

	return units->wants->has_causes ? event_log_add(&units->cutter.sent, send->head.tid, &event)
					: 0;
}

int units__received(struct units *units, const struct record_receive *receive)
{
	struct used_channel *channel;

	if (!units->wants->has_causes || receive->channel == CHANNEL_UNKNOWN)
		return 0;
	LRU_FIND_OR_ADD(units, receive->channel, channel, LRU_CHANNELS_MAX, LRU_DROP);
	if (!channel)
		return -ENOMEM;
	channel->reader = receive->head.tid;
	return 0;
}

int units__woke(struct units *units, const struct record_wakeup *wakeup)
{
	const struct thread_event event = {.at_ns = wakeup->at_ns, .other = wakeup->head.tid};

	return units->wants->has_causes ? event_log_add(&units->cutter.woken, wakeup->woken, &event)
					: 0;
}

int units__stack(struct units *units, const struct record *record)
{
	return units->wants->has_causes ? unit_stacks_add(&units->stacks, record) : 0;
}

int units__joined(struct units *units, const struct joined *joined)
{
	const struct record_send *send = &joined->send;
	struct thread_event event = {
		.at_ns = joined->receive.exit_ns,
		.sent_ns = send->send_ns ? send->send_ns : send->queued_ns,
		.queued_ns = send->queued_ns,
		.channel = joined->receive.channel,
		.other = send->head.tid,
	};

	if (!units->wants->has_causes || !joined->has_send || joined->is_ambiguous)
		return 0;
	return handled_add(&units->cutter, joined->receive.head.tid, &event);
}

/* More time, if few entries are kept, and less if they are many. */
static uint64_t held_horizon(struct units *units, uint64_t before_ns)
{
	size_t cnt = history_cnt(units->cutter.history);

	if (cnt > HELD_CNT_MAX && units->held_ns / 2 >= HELD_NS_MIN)
		units->held_ns /= 2;
	else if (cnt < HELD_CNT_MAX / 4 && units->held_ns < HELD_NS_MAX)
		units->held_ns *= 2;
	return before_ns > units->held_ns ? before_ns - units->held_ns : 0;
}

uint64_t units__trim(struct units *units, uint64_t before_ns, uint64_t horizon_ns)
{
	uint64_t held_ns;

	if (!units->wants->has_causes || before_ns == UINT64_MAX)
		return horizon_ns;
	held_ns = held_horizon(units, before_ns);
	if (held_ns < horizon_ns)
		horizon_ns = held_ns;
	event_log_trim(&units->cutter.sent, horizon_ns);
	event_log_trim(&units->cutter.received, horizon_ns);
	event_log_trim(&units->cutter.woken, horizon_ns);
	unit_stacks_trim(&units->stacks, before_ns);
	return horizon_ns;
}

/* 0: the message is the first one of its channel, or was sent before one that came earlier. */
static uint64_t since_before(struct used_channel *channel, uint64_t send_ns)
{
	uint64_t before_ns = channel->send_ns;

	if (send_ns > before_ns)
		channel->send_ns = send_ns;
	return before_ns && send_ns > before_ns ? send_ns - before_ns : 0;
}

/* Whether the thread was on different CPUs in [from_ns, to_ns], or when it ran last before. */
static bool has_migrated(const struct timeline *line, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t cpu = BLAME_CPU_UNKNOWN;

	for (size_t i = timeline_find(line, to_ns); i && step_limit_spend(1); i--) {
		const struct change *change = &line->change[i - 1];

		if (!change_has_cpu(change))
			continue;
		if (cpu != BLAME_CPU_UNKNOWN && cpu != change->cpu)
			return true;
		cpu = change->cpu;
		if (change->at_ns <= from_ns)
			break;
	}
	return false;
}

/* What ended the receiver's sleep, which was a wait for this message. */
static void find_waker(struct units *units, const struct message *message)
{
	struct unit *unit = &units->unit;
	struct waker waker;

	for (uint32_t i = message->segment_cnt; i; i--) {
		const struct segment *segment = &message->segment[i - 1];

		if (segment->component != COMPONENT_WAKEUP || !step_limit_spend(1))
			continue;
		if (!deep_events__waker(units->cutter.history->deep, message->receiver.tid,
					segment->to_ns, &waker) ||
		    waker.is_unsure)
			return;
		unit->from_interrupt = waker.from_interrupt;
		if (waker.from_interrupt || !waker.tid)
			return;
		unit->waker = (struct party){.tid = waker.tid, .cpu = waker.cpu};
		memcpy(unit->waker.comm,
		       thread_culprit(&units->cutter, waker.tid, waker.at_ns).comm,
		       sizeof(unit->waker.comm));
		return;
	}
}

/* In an attach, the records of traced threads come first: others only ran, or were waited for. */
uint32_t unit_process(struct analysis *a, const struct party *party, uint64_t at_ns,
		      char name[RECORD_COMM_LEN])
{
	const struct record_process *process = names__process(a->names, party->tid, at_ns);
	uint32_t pid = a->lasting.mode->pid(a, party->tid, at_ns);

	memcpy(name, process ? process->comm : party->comm, RECORD_COMM_LEN);
	name[RECORD_COMM_LEN - 1] = '\0';
	if (pid || process)
		return pid ?: process->pid;
	/* A name without a process is that of the first thread of its process. */
	return names__find(a->names, SLICE_TASK, party->tid, at_ns) ? party->tid : 0;
}

void unit_waits_add(struct analysis *a, const struct blames *blames,
		    const struct blame_roles *roles, uint32_t receiver_tid)
{
	struct units *units = a->units;

	if (!units || !units->wants->on_moments)
		return;
	for (uint32_t i = 0; i < blames->shares.cnt && units->wait_cnt < UNIT_WAITS_MAX; i++) {
		const struct cpu_share *share = &blames->shares.share[i];
		struct moment *wait = &units->wait[units->wait_cnt++];

		step_limit_spend(STEPS_OF_SHARE);
		*wait = (struct moment){
			.from_ns = share->from_ns,
			.to_ns = share->to_ns,
			.tid = receiver_tid,
			.cpu = blames->cpu,
			.cost = COMPONENT_RUNQUEUE,
			.call = CALL_UNKNOWN,
			.role = share->kind == SHARE_UNKNOWN ? CAUSE_UNKNOWN : CAUSE_RAN,
			.by = blame_of_share(a->names, roles, share),
		};
		wait->by.ns = share->to_ns - share->from_ns;
		wait->by.cpu = blames->cpu;
	}
}

/* What is not needed to find out whether a unit is slow. */
static void units_add_causes(struct units *units, const struct breakdown_input *in,
			     const struct message *message, const struct blames *blames)
{
	units->causes.cnt = 0;
	if (!units__need_causes(units, units->unit.from_ns, units->unit.to_ns))
		return;
	units->unit.has_migrated =
		has_migrated(&in->timeline, message->queued_ns, message->recv_ns);
	find_waker(units, message);
	units->cutter.roles.sender_tid = message->sender.tid;
	units->cutter.left = PIECES_MAX;
	message_causes_add(&units->causes, &units->cutter, message, blames);
	if (units->cutter.shows_interrupts)
		units->unit.turn = turn_of(&units->cutter, message, !units->unit.since_ns);
}

const struct unit *units__build(struct analysis *a, const struct breakdown_input *in,
				const struct message *message, const struct blames *blames)
{
	struct units *units = a->units;
	struct used_channel *channel;

	if (units->wants->has_no_identities) {
		units->unit = (struct unit){
			.kind = UNIT_MESSAGE,
			.from_ns = message_begin_ns(message),
			.to_ns = message_end_ns(message),
			.is_ambiguous = message->match == MATCH_AMBIGUOUS,
		};
		return &units->unit;
	}
	LRU_FIND_OR_ADD(units, message->channel, channel, LRU_CHANNELS_MAX, LRU_DROP);
	if (!channel)
		return NULL;
	units->unit = (struct unit){
		.kind = UNIT_MESSAGE,
		.from_ns = message_begin_ns(message),
		.to_ns = message_end_ns(message),
		.channel = message->channel,
		.transport = message->transport,
		.position = message->position,
		.bytes = message->bytes,
		.receives = message->receives,
		.path = message->path,
		.sender = message->sender,
		.receiver = message->receiver,
		.since_ns = since_before(channel, message->send_ns),
		.is_ambiguous = message->match == MATCH_AMBIGUOUS,
		.cause = units->wants->has_causes ? units->causes.cause : NULL,
		.wait = units->wait,
		.wait_cnt = units->wait_cnt,
	};
	units->unit.sender_pid =
		unit_process(a, &message->sender, message->send_ns, units->unit.sender_process);
	units->unit.receiver_pid =
		unit_process(a, &message->receiver, message->recv_ns, units->unit.receiver_process);
	/* Whatever connected: it did so for the first message in its channel. */
	units->unit.vain =
		futile_wakes_take(deep_events__futile(a->history.deep), message->sender.tid,
				  units->unit.from_ns, units->unit.to_ns, !units->unit.since_ns);
	units_add_causes(units, in, message, blames);
	units->unit.cause_cnt = units->causes.cnt;
	return &units->unit;
}

/*
 *	start                  send                                recv
 *	  |------ dispatch ------|------------ latency --------------|
 *
 * The message of an attach begins with its send, and its round before. What its sender did until
 * then is known now at the latest.
 */
static void begin_with_round(struct units *units, const struct message *message, struct unit *unit)
{
	uint64_t dispatch_ns = message->component_ns[COMPONENT_DISPATCH];

	if (message->has_stamp || !dispatch_ns)
		return;
	unit->from_ns -= dispatch_ns;
	if (!units__need_causes(units, unit->from_ns, unit->to_ns))
		return;
	units->more.cnt = 0;
	units->cutter.roles.sender_tid = message->sender.tid;
	units->cutter.left = PIECES_MAX;
	cause_list_append(&units->more, unit->cause, unit->cause_cnt, PART_WHOLE, PART_WHOLE);
	/* The time in which the sender of the round did something else before this message. */
	span_causes_dispatch(&units->cutter, &units->more, PART_WHOLE, &message->sender,
			     unit->from_ns, message->send_ns);
	cause_list_sort(&units->more);
	unit->cause = units->more.cause;
	unit->cause_cnt = units->more.cnt;
}

static int units_add_to_round(struct units *units, const struct message *message, struct unit *unit)
{
	unit->has_round = true;
	unit->round = message->round;
	unit->client = message->client;
	if (!units->rounds || !units->has_rounds)
		return 0;
	if (units->wants->kind == UNIT_ROUND)
		begin_with_round(units, message, unit);
	return round_units__arrive(units->rounds, unit, message->round_size);
}

int units__tick(struct units *units, const struct record_tick *tick, uint64_t warmup)
{
	if (!units->rounds || tick->round < warmup)
		return 0;
	return round_units__sent(units->rounds, tick->round - warmup, tick->sent);
}

int units_hand_out(void *ctx, const struct message *message)
{
	struct analysis *a = ctx;
	const struct analysis_request *wants = &a->lasting.wants;
	uint64_t begin_ns = message->has_stamp ? message->stamp_ns : message->send_ns;
	struct unit unit;
	int err;

	/* A round of an attach begins before the latency of its messages. */
	if (!message->has_stamp && message->has_round)
		begin_ns -= message->component_ns[COMPONENT_DISPATCH];
	if (!windows_have(&a->lasting.windows, begin_ns, message->recv_ns))
		return 0;
	a->lasting.windows.summary.messages++;
	err = wants->on_message ? wants->on_message(wants->ctx, message) : 0;
	if (err || !a->units)
		return err;
	unit = *message->unit;
	err = message->has_round ? units_add_to_round(a->units, message, &unit) : 0;
	return err || wants->kind != UNIT_MESSAGE ? err : units_put(a->units, &unit);
}
