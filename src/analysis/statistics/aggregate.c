/* SPDX-License-Identifier: BSD-2-Clause */
/* At the end, every sent message counts as matched or as incomplete. */
#include "analysis/statistics/aggregate.h"

#include "model/record_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Far more than any machine has; a damaged recording may say more. */
#define STEAL_CPUS_MAX 65536
_Static_assert(STEAL_CPUS_MAX <= SUMMARY_STEAL_MAX, "CPUs");

struct aggregate {
	struct summary *summary;
	struct blame_totals *blame_totals;
	uint64_t breakdown_cnt; /* messages that have components */
	uint64_t first_ns;      /* when the first message was stamped or sent; 0: none yet */
	uint64_t last_ns;
	bool has_end; /* the END record has come */
};

struct aggregate *aggregate__new(struct summary *summary, struct names *names,
				 blame_relation_fn *relation, void *ctx)
{
	struct aggregate *aggregate = calloc(1, sizeof(*aggregate));

	if (!aggregate)
		return NULL;
	aggregate->summary = summary;
	aggregate->blame_totals = blame_totals__new(names, relation, ctx);
	if (aggregate->blame_totals)
		return aggregate;
	free(aggregate);
	return NULL;
}

void aggregate__free(struct aggregate *aggregate)
{
	if (!aggregate)
		return;
	blame_totals__free(aggregate->blame_totals);
	free(aggregate);
}

static void extend_duration(struct aggregate *aggregate, uint64_t at_ns)
{
	if (!aggregate->first_ns || at_ns < aggregate->first_ns)
		aggregate->first_ns = at_ns;
	if (at_ns > aggregate->last_ns)
		aggregate->last_ns = at_ns;
}

/* The connection of each exchange can be cut, unless nothing shows how connections are opened. */
static void aggregate_add_exchange(struct summary *summary,
				   const struct connected_exchange *exchange)
{
	struct exchanges_summary *sum = &summary->exchanges;

	if (!exchange->latency_ns)
		return;
	if (!exchange->is_cut && info_shows_connections(&summary->info)) {
		sum->uncut++;
		return;
	}
	stat_add(&sum->latency, exchange->latency_ns);
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++) {
		if (exchange->is_cut || i == EXCHANGE_MESSAGE || i == EXCHANGE_CLOSE)
			stat_add(&sum->part[i], exchange->part_ns[i]);
	}
}

static uint64_t apart_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

/* By how much the parts of the message, and those of its exchange, miss their sums. */
static uint64_t residual_of(const struct message *message)
{
	const struct connected_exchange *exchange = &message->exchange;
	uint64_t sum_ns = 0, exchange_ns = 0, residual_ns, exchange_residual_ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++)
		sum_ns += message->component_ns[i];
	residual_ns = apart_ns(sum_ns, message->latency_ns);
	for (int i = 0; exchange->is_cut && i < NR_EXCHANGE_PARTS; i++)
		exchange_ns += exchange->part_ns[i];
	if (exchange->is_cut)
		exchange_residual_ns = apart_ns(exchange_ns, exchange->latency_ns);
	return exchange_residual_ns > residual_ns ? exchange_residual_ns : residual_ns;
}

static void add_residual(struct integrity *integrity, const struct message *message)
{
	uint64_t residual_ns = residual_of(message);

	if (residual_ns > integrity->residual_ns_max)
		integrity->residual_ns_max = residual_ns;
}

int aggregate__message(struct aggregate *aggregate, const struct message *message)
{
	struct summary *summary = aggregate->summary;
	struct integrity *integrity = &summary->integrity;
	uint64_t limit_ns = summary->info.keeps_slower_ns;
	struct blocked_calls blocked;

	extend_duration(aggregate, message->has_stamp ? message->stamp_ns : message->send_ns);
	add_residual(integrity, message);
	integrity->matched++;
	integrity->match[message->match]++;
	integrity->unseen_switches += message->unseen_switch;
	integrity->unseen_wakeups += message->unseen_wakeup;
	summary->path[message->path]++;
	stat_add(&summary->latency, message->latency_ns);
	aggregate_add_exchange(summary, &message->exchange);
	summary->slower_cnt += limit_ns && message->latency_ns > limit_ns;
	aggregate->breakdown_cnt++;
	/* Most components of most messages are 0: these are added at the end, all at once. */
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (message->component_ns[i])
			stat_add(&summary->component[i], message->component_ns[i]);
	}
	if (message->component_ns[COMPONENT_BLOCKED]) {
		blocked_calls_of_message(message, &blocked);
		blocked_calls_merge(&summary->blocked, &blocked);
	}
	return blame_totals__add(aggregate->blame_totals, message->blame, message->blame_cnt,
				 message->recv_ns);
}

void aggregate__untraced(struct aggregate *aggregate, const struct record_stamp *stamp,
			 const struct connected_exchange *exchange)
{
	extend_duration(aggregate, stamp->stamp_ns);
	aggregate->summary->integrity.matched++;
	stat_add(&aggregate->summary->latency, stamp->user_ns - stamp->stamp_ns);
	aggregate_add_exchange(aggregate->summary, exchange);
}

void aggregate__not_recorded(struct aggregate *aggregate, uint64_t cnt)
{
	struct integrity *integrity = &aggregate->summary->integrity;
	bool has_lost = false;

	for (int i = 0; i < NR_LOSSES; i++)
		has_lost |= integrity->loss[i] > 0;
	if (has_lost)
		integrity->incomplete[INCOMPLETE_NOT_RECORDED] += cnt;
}

static void add_left(struct summary *summary, const struct record_left *left)
{
	struct client_summary *client;

	if (left->client == LEFT_ALL) {
		summary->all_left = true;
		summary->all_left_reason = left->reason;
		summary->all_left_detail = left->detail;
		summary->all_left_early = left->round;
	} else if (!left->client) {
		summary->server_left = true;
		summary->server_left_reason = left->reason;
		summary->server_left_detail = left->detail;
	} else if (left->client <= summary->client_cnt) {
		client = &summary->client[left->client - 1];
		client->left = true;
		client->left_reason = left->reason;
		client->left_detail = left->detail;
		client->left_round = left->round;
	}
}

static void add_reader(struct observer *observer, const struct record_reader *reader)
{
	if (reader->policy >= NR_READER_POLICIES)
		return;
	observer->has_reader = true;
	observer->reader = reader->policy;
	observer->start_ns = reader->start_ns;
	observer->hurried_ns = reader->hurried_ns;
}

/* They come once, in the order of CPUs. */
static int add_steal(struct summary *summary, const struct record_steal *steal)
{
	struct steal_summary *more;

	if (summary->steal_cnt >= STEAL_CPUS_MAX)
		return 0;
	more = reallocarray(summary->steal, summary->steal_cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	summary->steal = more;
	more[summary->steal_cnt++] = (struct steal_summary){
		.cpu = steal->head.cpu, .steal_ns = steal->steal_ns, .span_ns = steal->span_ns};
	return 0;
}

static void add_end(struct aggregate *aggregate, const struct record_end *end)
{
	struct summary *summary = aggregate->summary;

	aggregate->has_end = true;
	memcpy(summary->integrity.loss, end->loss, sizeof(summary->integrity.loss));
	if (end->bpf_messages) {
		summary->observer.measured = true;
		summary->observer.bpf_ns_per_message = (double)end->bpf_ns / end->bpf_messages;
	}
}

int aggregate__record(struct aggregate *aggregate, const struct record *record)
{
	struct summary *summary = aggregate->summary;
	const struct record_load *load = (const void *)record;
	const struct record_pauses *pauses = (const void *)record;

	switch (record->type) {
	case RECORD_LEFT:
		add_left(summary, (const void *)record);
		return 0;
	case RECORD_STOP:
		summary->stopped_ns = ((const struct record_stop *)record)->at_ns;
		return 0;
	case RECORD_LOAD:
		summary->load = (struct load_summary){.count = load->count, .ended = load->ended};
		return 0;
	case RECORD_OBSERVER_EFFECT:
		summary->observer.effect = observer_effect_recorded((const void *)record);
		return 0;
	case RECORD_READER:
		add_reader(&summary->observer, (const void *)record);
		return 0;
	case RECORD_PAUSES:
		summary->observer.has_pauses = true;
		summary->observer.pauses = pauses->count;
		summary->observer.paused_ns = pauses->ns;
		return 0;
	case RECORD_STEAL:
		return add_steal(summary, (const void *)record);
	case RECORD_END:
		add_end(aggregate, (const void *)record);
		return 0;
	default:
		return RECORD_IS_NOT_MINE;
	}
}

/* Counts up to `cnt` of the messages with reason `from` as overflow. Returns how many. */
static uint64_t move_to_overflow(struct integrity *integrity, enum incomplete from, uint64_t cnt)
{
	if (cnt > integrity->incomplete[from])
		cnt = integrity->incomplete[from];
	integrity->incomplete[from] -= cnt;
	integrity->incomplete[INCOMPLETE_OVERFLOW] += cnt;
	return cnt;
}

/*
 * Every message that was sent is matched, or incomplete for one reason. The workload's ticks count
 * what was sent; the messages do where a tick was lost, and in an attach, which has no ticks.
 */
static void balance(struct integrity *integrity, uint64_t refused_sends)
{
	uint64_t accounted = integrity->matched;

	for (int i = 0; i < NR_INCOMPLETES; i++)
		accounted += integrity->incomplete[i];
	if (accounted > integrity->sent)
		integrity->sent = accounted;
	integrity->incomplete[INCOMPLETE_NOT_RECORDED] += integrity->sent - accounted;
	refused_sends -= move_to_overflow(integrity, INCOMPLETE_NOT_RECORDED, refused_sends);
	move_to_overflow(integrity, INCOMPLETE_NO_SEND, refused_sends);
}

uint64_t aggregate__first_ns(const struct aggregate *aggregate)
{
	return aggregate->first_ns;
}

int aggregate__finish(struct aggregate *aggregate, uint64_t refused_sends)
{
	struct summary *summary = aggregate->summary;

	for (int i = 0; i < NR_COMPONENTS; i++)
		stat_add_zeros(&summary->component[i],
			       aggregate->breakdown_cnt - summary->component[i].count);
	balance(&summary->integrity, refused_sends);
	summary->integrity.truncated = !aggregate->has_end;
	summary->duration_s = (aggregate->last_ns - aggregate->first_ns) / 1e9;
	blocked_calls_sort(&summary->blocked);
	blocked_calls_sort(&summary->calls.blocked);
	server_time_sort(&summary->calls.parts.did);
	return blame_totals__finish(aggregate->blame_totals, &summary->blame, &summary->blame_cnt);
}
