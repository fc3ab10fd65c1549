/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/slow_messages.h"

#include <errno.h>
#include <stdlib.h>

/* Words that one of these takes at the least: how many can follow in what is read. */
#define STAT_WORDS    (9 + STAT_OCTAVES)
#define BUCKET_WORDS  1
#define BLAME_WORDS   9
#define CLIENT_WORDS  (STAT_WORDS + NR_COMPONENTS + 14)
#define CHANNEL_WORDS (STAT_WORDS + NR_COMPONENTS + 30)

/* A new member belongs into this file, and a recording's version has to be raised. */
_Static_assert(sizeof(struct stat) == 960, "stat");
_Static_assert(sizeof(struct summary) == 24288, "summary");
_Static_assert(sizeof(struct client_summary) == 1136, "client");
_Static_assert(sizeof(struct channel_summary) == 1296, "channel");

static uint32_t buckets_in_use(const uint32_t *octave, const uint32_t *carry)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; octave && i < 1u << STAT_SUB_BITS; i++)
		cnt += octave[i] || (carry && carry[i]);
	return cnt;
}

/* A bucket's number stands between the halves of its count: of the upper one, 22 bits. */
static void write_octave(struct serializer *a, const uint32_t *octave, const uint32_t *carry)
{
	uint32_t cnt = buckets_in_use(octave, carry);

	serializer_count(a, &cnt, BUCKET_WORDS);
	for (uint64_t i = 0; cnt && i < 1u << STAT_SUB_BITS; i++) {
		uint64_t high = carry ? carry[i] : 0;
		uint64_t bucket = high << (32 + STAT_SUB_BITS) | i << 32 | octave[i];

		if (octave[i] || high)
			SERIALIZER(a, bucket);
	}
}

static uint32_t *new_octave(struct serializer *a)
{
	uint32_t *octave = calloc(1u << STAT_SUB_BITS, sizeof(*octave));

	if (!octave)
		a->error = -ENOMEM;
	return octave;
}

static void read_octave(struct serializer *a, uint32_t **octave, uint32_t **carry)
{
	uint64_t bucket, high;
	uint32_t cnt, i;

	*octave = *carry = NULL;
	serializer_count(a, &cnt, BUCKET_WORDS);
	if (!cnt)
		return;
	*octave = new_octave(a);
	for (; *octave && cnt; cnt--) {
		SERIALIZER(a, bucket);
		i = bucket >> 32 & ((1u << STAT_SUB_BITS) - 1);
		high = bucket >> (32 + STAT_SUB_BITS);
		(*octave)[i] = bucket;
		if (high && !*carry)
			*carry = new_octave(a);
		if (high && *carry)
			(*carry)[i] = high;
	}
}

static void keep_stat(struct serializer *a, struct stat *stat)
{
	SERIALIZER(a, stat->count);
	SERIALIZER(a, stat->min);
	SERIALIZER(a, stat->max);
	SERIALIZER(a, stat->sum);
	SERIALIZER(a, stat->sum_of_squares);
	serializer_flag(a, &stat->squares_overflow);
	SERIALIZER(a, stat->uncounted);
	for (unsigned int i = 0; i < STAT_OCTAVES; i++) {
		if (a->reads)
			read_octave(a, &stat->octave[i], &stat->carry[i]);
		else
			write_octave(a, stat->octave[i], stat->carry[i]);
	}
}

static void keep_sum(struct serializer *a, struct component_sum *sum)
{
	SERIALIZER(a, sum->count);
	SERIALIZER(a, sum->ns);
}

static void keep_waits(struct serializer *a, struct blocked_calls *waits)
{
	serializer_below(a, &waits->cnt, BLOCKED_CALLS_MAX + 1);
	for (uint32_t i = 0; i < waits->cnt; i++) {
		SERIALIZER(a, waits->wait[i].call);
		SERIALIZER(a, waits->wait[i].ns);
		SERIALIZER(a, waits->wait[i].cnt);
	}
}

static void keep_integrity(struct serializer *a, struct integrity *integrity)
{
	SERIALIZER(a, integrity->sent);
	SERIALIZER(a, integrity->matched);
	SERIALIZER(a, integrity->incomplete);
	SERIALIZER(a, integrity->loss);
	SERIALIZER(a, integrity->corrupt);
	SERIALIZER(a, integrity->residual_ns_max);
	SERIALIZER(a, integrity->unseen_switches);
	SERIALIZER(a, integrity->unseen_wakeups);
	serializer_flag(a, &integrity->truncated);
	SERIALIZER(a, integrity->match);
	SERIALIZER(a, integrity->elsewhere);
}

static void keep_observer(struct serializer *a, struct observer *observer)
{
	serializer_flag(a, &observer->measured);
	SERIALIZER(a, observer->bpf_ns_per_message);
	SERIALIZER(a, observer->effect.pairs);
	SERIALIZER(a, observer->effect.ratio);
	SERIALIZER(a, observer->effect.low);
	SERIALIZER(a, observer->effect.high);
}

static void keep_rounds(struct serializer *a, struct rounds_summary *rounds)
{
	SERIALIZER(a, rounds->count);
	SERIALIZER(a, rounds->complete);
	SERIALIZER(a, rounds->given_up);
	SERIALIZER(a, rounds->tick_ns);
	keep_stat(a, &rounds->first);
	keep_stat(a, &rounds->next);
	keep_stat(a, &rounds->last);
	keep_sum(a, &rounds->first_components);
	keep_sum(a, &rounds->next_components);
	SERIALIZER(a, rounds->service_ns);
	SERIALIZER(a, rounds->efficiency_pct);
	serializer_below(a, &rounds->order_cnt, SUMMARY_ORDERS_MAX + 1);
	for (uint32_t i = 0; i < rounds->order_cnt; i++) {
		SERIALIZER(a, rounds->order[i].hash);
		SERIALIZER(a, rounds->order[i].rounds);
		SERIALIZER(a, rounds->order[i].first);
	}
	SERIALIZER(a, rounds->order_other);
}

static void keep_calls(struct serializer *a, struct calls_summary *calls)
{
	SERIALIZER(a, calls->count);
	keep_stat(a, &calls->round_trip);
	keep_stat(a, &calls->request);
	keep_stat(a, &calls->service);
	keep_stat(a, &calls->response);
	keep_stat(a, &calls->from_due);
	SERIALIZER(a, calls->state_cnt);
	SERIALIZER(a, calls->handed_over);
	SERIALIZER(a, calls->guessed);
	SERIALIZER(a, calls->ambiguous);
	SERIALIZER(a, calls->unasked);
	SERIALIZER(a, calls->state_ns);
	keep_waits(a, &calls->blocked);
}

static void keep_flow(struct serializer *a, struct flow_summary *flow)
{
	SERIALIZER(a, flow->messages);
	SERIALIZER(a, flow->bytes);
	SERIALIZER(a, flow->seconds);
	SERIALIZER(a, flow->wakes_sent);
	SERIALIZER(a, flow->wakes_delivered);
}

static void keep_peaks(struct serializer *a, struct peaks_summary *peaks)
{
	struct peak *largest = &peaks->largest;

	SERIALIZER(a, peaks->medium_ns);
	SERIALIZER(a, peaks->width_ns);
	SERIALIZER(a, peaks->count);
	SERIALIZER(a, peaks->per_second);
	SERIALIZER(a, peaks->min_ns);
	SERIALIZER(a, peaks->max_ns);
	SERIALIZER(a, peaks->cause);
	serializer_flag(a, &peaks->has_largest);
	SERIALIZER(a, largest->latency_ns);
	SERIALIZER(a, largest->at_ns);
	SERIALIZER(a, largest->client);
	SERIALIZER_BELOW(a, largest->component, NR_COMPONENTS);
	SERIALIZER(a, largest->component_ns);
	keep_blame(a, &largest->blame);
}

static void keep_culprits(struct serializer *a, struct summary *summary)
{
	serializer_entries(a, &summary->blame, &summary->blame_cnt, sizeof(*summary->blame),
			   BLAME_WORDS);
	for (uint32_t i = 0; i < summary->blame_cnt; i++) {
		keep_blame(a, &summary->blame[i].who);
		SERIALIZER(a, summary->blame[i].folded);
		SERIALIZER(a, summary->blame[i].messages);
	}
}

static void keep_client(struct serializer *a, struct client_summary *client)
{
	SERIALIZER(a, client->client);
	SERIALIZER(a, client->tid);
	SERIALIZER_TEXT(a, client->comm);
	keep_stat(a, &client->latency);
	keep_sum(a, &client->components);
	SERIALIZER(a, client->position_sum);
	SERIALIZER(a, client->position_cnt);
	SERIALIZER(a, client->time_ns);
	SERIALIZER(a, client->gap_ns);
	SERIALIZER(a, client->messages);
	serializer_flag(a, &client->left);
	SERIALIZER_BELOW(a, client->left_reason, NR_LEFT_REASONS);
	SERIALIZER(a, client->left_detail);
	SERIALIZER(a, client->left_round);
}

static void keep_clients(struct serializer *a, struct summary *summary)
{
	serializer_entries(a, &summary->client, &summary->client_cnt, sizeof(*summary->client),
			   CLIENT_WORDS);
	for (uint32_t i = 0; i < summary->client_cnt; i++)
		keep_client(a, &summary->client[i]);
}

static void keep_end(struct serializer *a, struct end_summary *end)
{
	SERIALIZER(a, end->pid);
	SERIALIZER(a, end->tid);
	SERIALIZER_TEXT(a, end->comm);
}

static void keep_channel(struct serializer *a, struct channel_summary *channel)
{
	SERIALIZER(a, channel->id);
	SERIALIZER(a, channel->transport);
	SERIALIZER(a, channel->folded);
	SERIALIZER_TEXT(a, channel->name);
	keep_end(a, &channel->sender);
	keep_end(a, &channel->receiver);
	SERIALIZER(a, channel->messages);
	SERIALIZER(a, channel->bytes);
	SERIALIZER(a, channel->calls);
	keep_stat(a, &channel->latency);
	keep_sum(a, &channel->components);
}

static void keep_channels(struct serializer *a, struct summary *summary)
{
	serializer_entries(a, &summary->channel, &summary->channel_cnt, sizeof(*summary->channel),
			   CHANNEL_WORDS);
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		keep_channel(a, &summary->channel[i]);
}

static void keep_server(struct serializer *a, struct summary *summary)
{
	serializer_flag(a, &summary->server_left);
	SERIALIZER_BELOW(a, summary->server_left_reason, NR_LEFT_REASONS);
	SERIALIZER(a, summary->server_left_detail);
}

/* The words of version 5 end before these. */
static void keep_all_left(struct serializer *a, struct summary *summary)
{
	if (a->reads && a->at == a->cnt)
		return;
	serializer_flag(a, &summary->all_left);
	SERIALIZER_BELOW(a, summary->all_left_reason, NR_LEFT_REASONS);
	SERIALIZER(a, summary->all_left_detail);
	serializer_flag(a, &summary->all_left_early);
}

void keep_summary(struct serializer *a, struct summary *summary)
{
	keep_integrity(a, &summary->integrity);
	keep_observer(a, &summary->observer);
	SERIALIZER(a, summary->duration_s);
	keep_stat(a, &summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		keep_stat(a, &summary->component[i]);
	SERIALIZER(a, summary->path);
	keep_stat(a, &summary->from_due);
	keep_rounds(a, &summary->rounds);
	keep_calls(a, &summary->calls);
	keep_flow(a, &summary->flow);
	keep_stat(a, &summary->tick.lateness);
	SERIALIZER(a, summary->tick.skipped);
	SERIALIZER(a, summary->load.count);
	serializer_flag(a, &summary->load.ended);
	keep_peaks(a, &summary->peaks);
	keep_culprits(a, summary);
	keep_waits(a, &summary->blocked);
	keep_clients(a, summary);
	keep_channels(a, summary);
	SERIALIZER(a, summary->slower_cnt);
	keep_server(a, summary);
	keep_all_left(a, summary);
}
