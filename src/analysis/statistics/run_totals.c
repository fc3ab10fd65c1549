/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes statistics from the messages and the records of ipctrace's own workload. */
#include "analysis/statistics/run_totals.h"

#include "analysis/join/stamps.h"
#include "analysis/statistics/rounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How far one client's stamps have been processed, in the client's own order. */
struct progress {
	uint64_t next;    /* index of the next stamp to process */
	uint64_t last_ns; /* when the last message after the warm-up was received */
};

struct run_totals {
	struct summary *summary;
	struct rounds *rounds;
	struct progress *progress; /* by client */
	struct stamps *early;      /* stamps that overtook earlier stamps of their client */
	uint64_t flow_first_ns;
	uint64_t flow_last_ns;
};

struct run_totals *run_totals__new(struct summary *summary)
{
	struct run_totals *totals = calloc(1, sizeof(*totals));
	uint32_t cnt = summary->info.workload.clients;

	if (!totals)
		return NULL;
	totals->summary = summary;
	summary->client = calloc(cnt + 1, sizeof(*summary->client));
	summary->client_cnt = cnt;
	totals->progress = calloc(cnt + 1, sizeof(*totals->progress));
	totals->early = stamps__new();
	if (summary->client)
		totals->rounds = rounds__new(summary->client, cnt, cnt);
	if (!totals->rounds || !totals->progress || !totals->early) {
		run_totals__free(totals);
		return NULL;
	}
	for (uint32_t i = 0; i < cnt; i++)
		summary->client[i].client = i + 1;
	return totals;
}

void run_totals__free(struct run_totals *totals)
{
	if (!totals)
		return;
	rounds__free(totals->rounds);
	stamps__free(totals->early);
	free(totals->progress);
	free(totals);
}

static const struct workload_spec *run_totals_spec_of(const struct run_totals *totals)
{
	return &totals->summary->info.workload;
}

static struct client_summary *run_totals_client_of(struct run_totals *totals, uint32_t client)
{
	return &totals->summary->client[client - 1];
}

/* `due_ns` 0: the message was due at no fixed instant. */
static void add_from_due(struct run_totals *totals, uint64_t due_ns, uint64_t user_ns,
			 bool to_server)
{
	if (due_ns && due_ns <= user_ns && !to_server)
		stat_add(&totals->summary->from_due, user_ns - due_ns);
}

static int run_totals_add_arrival(struct run_totals *totals, const struct message *message)
{
	const struct round_arrival arrival = {
		.client = message->client,
		.stamp_ns = message->stamp_ns,
		.user_ns = message->user_ns,
		.segment = message->segment,
		.segment_cnt = message->segment_cnt,
		.peak = peak_of(message),
	};

	return rounds__arrive(totals->rounds, message->round, &arrival);
}

int run_totals__message(struct run_totals *totals, const struct message *message)
{
	struct client_summary *client = run_totals_client_of(totals, message->client);

	stat_add(&client->latency, message->latency_ns);
	client->components.count++;
	for (int i = 0; i < NR_COMPONENTS; i++)
		client->components.ns[i] += message->component_ns[i];
	add_from_due(totals, message->due_ns, message->user_ns, message->to_server);
	return spec_has_rounds(run_totals_spec_of(totals)) ? run_totals_add_arrival(totals, message)
							   : 0;
}

int run_totals__untraced(struct run_totals *totals, const struct record_stamp *stamp)
{
	uint64_t latency_ns = stamp->user_ns - stamp->stamp_ns;
	const struct round_arrival arrival = {
		.client = stamp->client,
		.stamp_ns = stamp->stamp_ns,
		.user_ns = stamp->user_ns,
		.peak = {.latency_ns = latency_ns, .client = stamp->client},
	};

	stat_add(&run_totals_client_of(totals, stamp->client)->latency, latency_ns);
	add_from_due(totals, stamp->due_ns, stamp->user_ns, stamp->to_server);
	if (!spec_has_rounds(run_totals_spec_of(totals)))
		return 0;
	return rounds__arrive(totals->rounds, stamp->round - run_totals_spec_of(totals)->warmup,
			      &arrival);
}

/* A client waits for its next message from the end of its last one. */
static void add_progress(struct run_totals *totals, const struct record_stamp *stamp)
{
	struct client_summary *client = run_totals_client_of(totals, stamp->client);
	struct progress *progress = &totals->progress[stamp->client];
	uint64_t gap_ns;

	progress->next = stamp->index + 1;
	if (spec_is_warmup(run_totals_spec_of(totals), stamp->index))
		return;
	if (!client->messages)
		progress->last_ns = stamp->stamp_ns;
	/* Only in a forged recording, a message comes before the one that it follows. */
	gap_ns = stamp->user_ns > progress->last_ns ? stamp->user_ns - progress->last_ns : 0;
	client->messages++;
	client->time_ns += gap_ns;
	if (gap_ns > client->gap_ns)
		client->gap_ns = gap_ns;
	progress->last_ns = stamp->user_ns;
}

int run_totals__stamp(struct run_totals *totals, const struct record_stamp *stamp)
{
	struct progress *progress = &totals->progress[stamp->client];
	struct record_stamp next;

	if (stamp->to_server)
		return 0;
	if (stamp->index != progress->next)
		return stamps__add(totals->early, stamp) == -ENOMEM ? -ENOMEM : 0;
	add_progress(totals, stamp);
	while (stamps__take(totals->early, stamp->client, false, progress->next, &next))
		add_progress(totals, &next);
	return 0;
}

/*
 * Processes the stamps behind lost ones, however many are lost. Stamps beyond the last message are
 * not of this run.
 */
static void add_early(struct run_totals *totals)
{
	uint64_t end = run_totals_spec_of(totals)->warmup + run_totals_spec_of(totals)->messages;
	struct record_stamp stamp;

	while (stamps__take_first(totals->early, &stamp)) {
		if (stamp.index >= totals->progress[stamp.client].next && stamp.index < end)
			add_progress(totals, &stamp);
	}
}

static uint64_t without_warmup(const struct run_totals *totals, uint64_t messages)
{
	uint64_t warmup = run_totals_spec_of(totals)->warmup;

	return messages > warmup ? messages - warmup : 0;
}

static void run_totals_add_flow(struct run_totals *totals, const struct record_traffic *traffic)
{
	struct flow_summary *flow = &totals->summary->flow;

	flow->messages += without_warmup(totals, traffic->received);
	flow->bytes += traffic->bytes;
	if (!traffic->first_ns)
		return;
	if (!totals->flow_first_ns || traffic->first_ns < totals->flow_first_ns)
		totals->flow_first_ns = traffic->first_ns;
	if (traffic->last_ns > totals->flow_last_ns)
		totals->flow_last_ns = traffic->last_ns;
	flow->seconds = (totals->flow_last_ns - totals->flow_first_ns) / 1e9;
}

/* Ticks count what a push pattern sends; the links of other patterns count it at their end. */
void run_totals__traffic(struct run_totals *totals, const struct record_traffic *traffic)
{
	struct summary *summary = totals->summary;
	const struct workload_spec *spec = run_totals_spec_of(totals);
	struct client_summary *client;

	if (!traffic->client || traffic->client > summary->client_cnt)
		return;
	summary->integrity.corrupt += traffic->corrupt;
	if (spec_has_rounds(spec))
		return;
	summary->integrity.sent += without_warmup(totals, traffic->sent);
	summary->flow.wakes_sent += traffic->wakes_sent;
	summary->flow.wakes_delivered += traffic->wakes_delivered;
	/* An exchange is complete, and counts once, when it is back at its client. */
	if (spec_has_stamps(spec) && traffic->to_server)
		return;
	run_totals_add_flow(totals, traffic);
	if (spec_has_stamps(spec))
		return;
	if (!summary->info.traced)
		summary->integrity.matched += without_warmup(totals, traffic->received);
	client = run_totals_client_of(totals, traffic->client);
	client->messages = without_warmup(totals, traffic->received);
	client->time_ns = traffic->last_ns - traffic->first_ns;
}

int run_totals__tick(struct run_totals *totals, const struct record_tick *tick)
{
	struct summary *summary = totals->summary;
	const struct workload_spec *spec = run_totals_spec_of(totals);

	if (spec_is_warmup(spec, tick->round))
		return 0;
	summary->integrity.sent += tick->sent;
	summary->tick.skipped += tick->skipped;
	if (tick->stamp_ns >= tick->due_ns)
		stat_add(&summary->tick.lateness, tick->stamp_ns - tick->due_ns);
	return rounds__tick(totals->rounds, tick->round - spec->warmup, tick->sent);
}

void run_totals__role(struct run_totals *totals, const struct record_role *role)
{
	struct client_summary *client;

	if (role->role != ROLE_CLIENT || !role->client ||
	    role->client > totals->summary->client_cnt)
		return;
	client = run_totals_client_of(totals, role->client);
	client->tid = role->head.tid;
	memcpy(client->comm, role->comm, sizeof(client->comm));
	client->comm[sizeof(client->comm) - 1] = '\0';
}

void run_totals__finish(struct run_totals *totals, uint64_t first_ns)
{
	add_early(totals);
	rounds__finish(totals->rounds, first_ns, totals->summary->duration_s, totals->summary);
}
