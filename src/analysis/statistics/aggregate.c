/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/statistics/aggregate.h"

#include "analysis/join/stamps.h"
#include "analysis/statistics/blame_totals.h"
#include "analysis/statistics/rounds.h"

#include <stdlib.h>
#include <string.h>

/* How far a client's own stamps have been looked at, in its own order. */
struct pace {
	uint64_t next;    /* index of the stamp whose turn it is */
	uint64_t seen_ns; /* the last message that counts */
};

struct aggregate {
	struct summary summary;
	struct rounds *rounds;
	struct blame_totals *culprits;
	uint64_t cut_cnt;        /* messages that have components */
	uint64_t first_stamp_ns; /* of kept rounds; 0: none yet */
	uint64_t last_stamp_ns;
	struct pace *pace;    /* by client */
	struct stamps *early; /* stamps whose client's stamps before them have not come */
	uint64_t flow_first_ns;
	uint64_t flow_last_ns;
	bool ended; /* the END record has come */
};

struct aggregate *aggregate__new(const struct run_info *info)
{
	struct aggregate *tally = calloc(1, sizeof(*tally));
	struct summary *summary;

	if (!tally)
		return NULL;
	summary = &tally->summary;
	summary->info = *info;
	summary->client_cnt = info->workload.clients;
	summary->client = calloc(summary->client_cnt + 1, sizeof(*summary->client));
	tally->culprits = blame_totals__new();
	tally->pace = calloc(summary->client_cnt + 1, sizeof(*tally->pace));
	tally->early = stamps__new();
	if (summary->client)
		tally->rounds =
			rounds__new(summary->client, summary->client_cnt, summary->client_cnt);
	if (!tally->rounds || !tally->culprits || !tally->pace || !tally->early) {
		aggregate__free(tally);
		return NULL;
	}
	for (uint32_t i = 0; i < summary->client_cnt; i++)
		summary->client[i].client = i + 1;
	return tally;
}

void aggregate__free(struct aggregate *tally)
{
	if (!tally)
		return;
	rounds__free(tally->rounds);
	blame_totals__free(tally->culprits);
	stamps__free(tally->early);
	free(tally->pace);
	summary_clean(&tally->summary);
	free(tally);
}

bool aggregate__is_warmup(const struct aggregate *tally, uint64_t round)
{
	return round < tally->summary.info.workload.warmup;
}

uint64_t aggregate__kept_round(const struct aggregate *tally, uint64_t round)
{
	return round - tally->summary.info.workload.warmup;
}

static void note_duration(struct aggregate *tally, uint64_t stamp_ns)
{
	if (!tally->first_stamp_ns || stamp_ns < tally->first_stamp_ns)
		tally->first_stamp_ns = stamp_ns;
	if (stamp_ns > tally->last_stamp_ns)
		tally->last_stamp_ns = stamp_ns;
}

static void note_residual(struct integrity *integrity, const struct message *message)
{
	uint64_t sum_ns = 0, residual_ns;

	for (int i = 0; i < NR_COMPONENTS; i++)
		sum_ns += message->component_ns[i];
	residual_ns = sum_ns > message->latency_ns ? sum_ns - message->latency_ns
						   : message->latency_ns - sum_ns;
	if (residual_ns > integrity->residual_ns_max)
		integrity->residual_ns_max = residual_ns;
}

/* Of most messages most components are 0: these are added at the end, all at once. */
static void add_components(struct aggregate *tally, const struct message *message)
{
	struct summary *summary = &tally->summary;
	struct component_sum *sum =
		message->client ? &summary->client[message->client - 1].components : NULL;

	tally->cut_cnt++;
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (message->component_ns[i])
			stat_add(&summary->component[i], message->component_ns[i]);
	}
	if (!sum)
		return;
	sum->count++;
	for (int i = 0; i < NR_COMPONENTS; i++)
		sum->ns[i] += message->component_ns[i];
}

static void add_waits(struct summary *summary, const struct message *message)
{
	struct blocked_calls waits;

	if (!message->component_ns[COMPONENT_BLOCKED])
		return;
	blocked_calls_of_message(message, &waits);
	blocked_calls_merge(&summary->blocked, &waits);
}

static void add_zeros(struct aggregate *tally)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		struct stat *component = &tally->summary.component[i];

		stat_add_zeros(component, tally->cut_cnt - component->count);
	}
}

static int arrive(struct aggregate *tally, const struct message *message)
{
	const struct round_arrival arrival = {
		.client = message->client,
		.stamp_ns = message->stamp_ns,
		.user_ns = message->user_ns,
		.segment = message->segment,
		.segment_cnt = message->segment_cnt,
		.peak = peak_of(message),
	};

	return rounds__arrive(tally->rounds, message->round, &arrival);
}

void aggregate__slower(struct aggregate *tally, const struct message *message)
{
	uint64_t limit_ns = tally->summary.info.keeps_slower_ns;

	tally->summary.slower_cnt += limit_ns && message->latency_ns > limit_ns;
}

int aggregate__message(struct aggregate *tally, const struct message *message)
{
	struct summary *summary = &tally->summary;
	int err;

	note_duration(tally, message->has_stamp ? message->stamp_ns : message->send_ns);
	note_residual(&summary->integrity, message);
	summary->integrity.matched++;
	summary->integrity.match[message->match]++;
	summary->integrity.unseen_switches += message->unseen_switch;
	summary->integrity.unseen_wakeups += message->unseen_wakeup;
	summary->path[message->path]++;
	stat_add(&summary->latency, message->latency_ns);
	aggregate__slower(tally, message);
	if (message->client)
		stat_add(&summary->client[message->client - 1].latency, message->latency_ns);
	add_components(tally, message);
	add_waits(summary, message);
	if (message->due_ns && message->due_ns <= message->user_ns && !message->to_server)
		stat_add(&summary->from_due, message->user_ns - message->due_ns);
	err = blame_totals__add(tally->culprits, message);
	if (err || !spec_has_rounds(&summary->info.workload))
		return err;
	return arrive(tally, message);
}

int aggregate__stamp(struct aggregate *tally, const struct record_stamp *stamp)
{
	struct summary *summary = &tally->summary;
	struct round_arrival arrival = {
		.client = stamp->client, .stamp_ns = stamp->stamp_ns, .user_ns = stamp->user_ns};

	if (aggregate__is_warmup(tally, stamp->index))
		return 0;
	if (stamp->user_ns < stamp->stamp_ns) {
		aggregate__incomplete(tally, INCOMPLETE_ORDER);
		return 0;
	}
	note_duration(tally, stamp->stamp_ns);
	arrival.peak.latency_ns = stamp->user_ns - stamp->stamp_ns;
	arrival.peak.client = stamp->client;
	summary->integrity.matched++;
	stat_add(&summary->latency, arrival.peak.latency_ns);
	stat_add(&summary->client[stamp->client - 1].latency, arrival.peak.latency_ns);
	if (stamp->due_ns && stamp->due_ns <= stamp->user_ns && !stamp->to_server)
		stat_add(&summary->from_due, stamp->user_ns - stamp->due_ns);
	if (!spec_has_rounds(&summary->info.workload))
		return 0;
	return rounds__arrive(tally->rounds, aggregate__kept_round(tally, stamp->round), &arrival);
}

/* What a client waits for is what comes to it. */
static void note_pace(struct aggregate *tally, const struct record_stamp *stamp)
{
	struct client_summary *client = &tally->summary.client[stamp->client - 1];
	struct pace *pace = &tally->pace[stamp->client];

	pace->next = stamp->index + 1;
	if (aggregate__is_warmup(tally, stamp->index))
		return;
	if (!client->messages)
		pace->seen_ns = stamp->stamp_ns;
	client->messages++;
	client->time_ns += stamp->user_ns - pace->seen_ns;
	if (stamp->user_ns - pace->seen_ns > client->gap_ns)
		client->gap_ns = stamp->user_ns - pace->seen_ns;
	pace->seen_ns = stamp->user_ns;
}

static void note_early(struct aggregate *tally, uint32_t client)
{
	struct record_stamp stamp;

	while (stamps__take(tally->early, client, false, tally->pace[client].next, &stamp))
		note_pace(tally, &stamp);
}

int aggregate__seen(struct aggregate *tally, const struct record_stamp *stamp)
{
	if (stamp->to_server)
		return 0;
	if (stamp->index != tally->pace[stamp->client].next)
		return stamps__add(tally->early, stamp);
	note_pace(tally, stamp);
	note_early(tally, stamp->client);
	return 0;
}

/*
 * Stamps were lost: what is left goes on behind the gaps, however long these are. What is beyond
 * the last message is none of the run's.
 */
static void note_gaps(struct aggregate *tally)
{
	const struct workload_spec *spec = &tally->summary.info.workload;
	uint64_t end = spec->warmup + spec->messages;
	struct record_stamp stamp;

	while (stamps__take_first(tally->early, &stamp)) {
		if (stamp.index >= tally->pace[stamp.client].next && stamp.index < end)
			note_pace(tally, &stamp);
	}
}

struct calls_summary *aggregate__calls(struct aggregate *tally)
{
	return &tally->summary.calls;
}

static uint64_t kept(const struct aggregate *tally, uint64_t messages)
{
	uint64_t warmup = tally->summary.info.workload.warmup;

	return messages > warmup ? messages - warmup : 0;
}

static void note_flow(struct aggregate *tally, const struct record_traffic *traffic)
{
	struct flow_summary *flow = &tally->summary.flow;

	flow->messages += kept(tally, traffic->received);
	flow->bytes += traffic->bytes;
	if (!traffic->first_ns)
		return;
	if (!tally->flow_first_ns || traffic->first_ns < tally->flow_first_ns)
		tally->flow_first_ns = traffic->first_ns;
	if (traffic->last_ns > tally->flow_last_ns)
		tally->flow_last_ns = traffic->last_ns;
	flow->seconds = (tally->flow_last_ns - tally->flow_first_ns) / 1e9;
}

/* Ticks say what a push has sent; other patterns' links say it at their end. */
void aggregate__traffic(struct aggregate *tally, const struct record_traffic *traffic)
{
	struct summary *summary = &tally->summary;
	const struct workload_spec *spec = &summary->info.workload;
	struct client_summary *client;

	if (!traffic->client || traffic->client > summary->client_cnt)
		return;
	summary->integrity.corrupt += traffic->corrupt;
	if (spec_has_rounds(spec))
		return;
	summary->integrity.sent += kept(tally, traffic->sent);
	summary->flow.wakes_sent += traffic->wakes_sent;
	summary->flow.wakes_delivered += traffic->wakes_delivered;
	/* An exchange is complete, and counts once, when it has come back to its client. */
	if (spec_has_stamps(spec) && traffic->to_server)
		return;
	note_flow(tally, traffic);
	if (spec_has_stamps(spec))
		return;
	if (!summary->info.traced)
		summary->integrity.matched += kept(tally, traffic->received);
	client = &summary->client[traffic->client - 1];
	client->messages = kept(tally, traffic->received);
	client->time_ns = traffic->last_ns - traffic->first_ns;
}

void aggregate__incomplete(struct aggregate *tally, enum incomplete reason)
{
	tally->summary.integrity.incomplete[reason]++;
}

void aggregate__not_recorded(struct aggregate *tally, uint64_t cnt)
{
	struct integrity *integrity = &tally->summary.integrity;
	bool has_lost = false;

	for (int i = 0; i < NR_LOSSES; i++)
		has_lost |= integrity->loss[i] > 0;
	if (has_lost)
		integrity->incomplete[INCOMPLETE_NOT_RECORDED] += cnt;
}

void aggregate__elsewhere(struct aggregate *tally)
{
	tally->summary.integrity.elsewhere++;
}

int aggregate__tick(struct aggregate *tally, const struct record_tick *tick)
{
	struct summary *summary = &tally->summary;

	if (aggregate__is_warmup(tally, tick->round))
		return 0;
	summary->integrity.sent += tick->sent;
	summary->tick.skipped += tick->skipped;
	if (tick->stamp_ns >= tick->due_ns)
		stat_add(&summary->tick.lateness, tick->stamp_ns - tick->due_ns);
	return rounds__tick(tally->rounds, aggregate__kept_round(tally, tick->round), tick->sent);
}

void aggregate__role(struct aggregate *tally, const struct record_role *role)
{
	struct client_summary *client;

	if (role->role != ROLE_CLIENT || !role->client || role->client > tally->summary.client_cnt)
		return;
	client = &tally->summary.client[role->client - 1];
	client->tid = role->head.tid;
	memcpy(client->comm, role->comm, sizeof(client->comm));
	client->comm[sizeof(client->comm) - 1] = '\0';
}

static void all_left(struct summary *summary, const struct record_left *left)
{
	summary->all_left = true;
	summary->all_left_reason = left->reason;
	summary->all_left_detail = left->detail;
	summary->all_left_early = left->round;
}

void aggregate__left(struct aggregate *tally, const struct record_left *left)
{
	struct summary *summary = &tally->summary;
	struct client_summary *client;

	if (left->client == LEFT_ALL)
		all_left(summary, left);
	if (left->client > summary->client_cnt)
		return;
	if (!left->client) {
		summary->server_left = true;
		summary->server_left_reason = left->reason;
		summary->server_left_detail = left->detail;
		return;
	}
	client = &summary->client[left->client - 1];
	client->left = true;
	client->left_reason = left->reason;
	client->left_detail = left->detail;
	client->left_round = left->round;
}

void aggregate__load(struct aggregate *tally, const struct record_load *load)
{
	tally->summary.load = (struct load_summary){.count = load->count, .ended = load->ended};
}

void aggregate__effect(struct aggregate *tally, const struct record_effect *effect)
{
	tally->summary.observer.effect = observer_effect_recorded(effect);
}

void aggregate__end(struct aggregate *tally, const struct record_end *end)
{
	struct summary *summary = &tally->summary;

	tally->ended = true;
	memcpy(summary->integrity.loss, end->loss, sizeof(summary->integrity.loss));
	if (end->bpf_messages) {
		summary->observer.measured = true;
		summary->observer.bpf_ns_per_message = (double)end->bpf_ns / end->bpf_messages;
	}
}

static uint64_t accounted_for(const struct integrity *integrity)
{
	uint64_t accounted = integrity->matched;

	for (int i = 0; i < NR_INCOMPLETES; i++)
		accounted += integrity->incomplete[i];
	return accounted;
}

/* Counts up to `cnt` of the messages with reason `from` as overflow. How many. */
static uint64_t move_to_overflow(struct integrity *integrity, enum incomplete from, uint64_t cnt)
{
	if (cnt > integrity->incomplete[from])
		cnt = integrity->incomplete[from];
	integrity->incomplete[from] -= cnt;
	integrity->incomplete[INCOMPLETE_OVERFLOW] += cnt;
	return cnt;
}

/*
 * Every message that was sent is matched, or incomplete for one reason. The workload's ticks say
 * how many were sent; where a tick was lost, the messages themselves do. What is missing for want
 * of a send that had to be refused is missing for want of room.
 */
static void balance(struct integrity *integrity, uint64_t refused_sends)
{
	uint64_t accounted = accounted_for(integrity);

	if (accounted > integrity->sent)
		integrity->sent = accounted;
	integrity->incomplete[INCOMPLETE_NOT_RECORDED] += integrity->sent - accounted;
	refused_sends -= move_to_overflow(integrity, INCOMPLETE_NOT_RECORDED, refused_sends);
	move_to_overflow(integrity, INCOMPLETE_NO_SEND, refused_sends);
}

/* Its clients take the place of the workload's, of which there are none. */
static int finish_attached(struct summary *summary, struct attach_state *attach)
{
	free(summary->client);
	summary->client = NULL;
	return attach_state__finish(attach, summary);
}

int aggregate__finish(struct aggregate *tally, uint64_t refused_sends, struct attach_state *attach)
{
	struct summary *summary = &tally->summary;
	int err = 0;

	note_gaps(tally);
	add_zeros(tally);
	/* Of an attach nobody else says how many were sent: what is missing is counted already. */
	if (attach)
		summary->integrity.incomplete[INCOMPLETE_OVERFLOW] += refused_sends;
	balance(&summary->integrity, attach ? 0 : refused_sends);
	summary->integrity.truncated = !tally->ended;
	summary->duration_s = (tally->last_stamp_ns - tally->first_stamp_ns) / 1e9;
	rounds__finish(tally->rounds, tally->first_stamp_ns, summary->duration_s, summary);
	blocked_calls_sort(&summary->blocked);
	blocked_calls_sort(&summary->calls.blocked);
	if (attach)
		err = finish_attached(summary, attach);
	return err ? err : blame_totals__finish(tally->culprits, summary);
}

const struct summary *aggregate__summary(const struct aggregate *tally)
{
	return &tally->summary;
}
