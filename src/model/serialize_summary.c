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
static void write_octave(struct archive *a, const uint32_t *octave, const uint32_t *carry)
{
	uint32_t cnt = buckets_in_use(octave, carry);

	archive_count(a, &cnt, BUCKET_WORDS);
	for (uint64_t i = 0; cnt && i < 1u << STAT_SUB_BITS; i++) {
		uint64_t high = carry ? carry[i] : 0;
		uint64_t bucket = high << (32 + STAT_SUB_BITS) | i << 32 | octave[i];

		if (octave[i] || high)
			ARCHIVE(a, bucket);
	}
}

static uint32_t *new_octave(struct archive *a)
{
	uint32_t *octave = calloc(1u << STAT_SUB_BITS, sizeof(*octave));

	if (!octave)
		a->error = -ENOMEM;
	return octave;
}

static void read_octave(struct archive *a, uint32_t **octave, uint32_t **carry)
{
	uint64_t bucket, high;
	uint32_t cnt, i;

	*octave = *carry = NULL;
	archive_count(a, &cnt, BUCKET_WORDS);
	if (!cnt)
		return;
	*octave = new_octave(a);
	for (; *octave && cnt; cnt--) {
		ARCHIVE(a, bucket);
		i = bucket >> 32 & ((1u << STAT_SUB_BITS) - 1);
		high = bucket >> (32 + STAT_SUB_BITS);
		(*octave)[i] = bucket;
		if (high && !*carry)
			*carry = new_octave(a);
		if (high && *carry)
			(*carry)[i] = high;
	}
}

static void keep_stat(struct archive *a, struct stat *stat)
{
	ARCHIVE(a, stat->count);
	ARCHIVE(a, stat->min);
	ARCHIVE(a, stat->max);
	ARCHIVE(a, stat->sum);
	ARCHIVE(a, stat->sum_of_squares);
	archive_flag(a, &stat->squares_overflow);
	ARCHIVE(a, stat->uncounted);
	for (unsigned int i = 0; i < STAT_OCTAVES; i++) {
		if (a->reads)
			read_octave(a, &stat->octave[i], &stat->carry[i]);
		else
			write_octave(a, stat->octave[i], stat->carry[i]);
	}
}

static void keep_sum(struct archive *a, struct component_sum *sum)
{
	ARCHIVE(a, sum->count);
	ARCHIVE(a, sum->ns);
}

static void keep_waits(struct archive *a, struct waits *waits)
{
	archive_below(a, &waits->cnt, WAITS_MAX + 1);
	for (uint32_t i = 0; i < waits->cnt; i++) {
		ARCHIVE(a, waits->wait[i].call);
		ARCHIVE(a, waits->wait[i].ns);
		ARCHIVE(a, waits->wait[i].cnt);
	}
}

static void keep_integrity(struct archive *a, struct integrity *integrity)
{
	ARCHIVE(a, integrity->sent);
	ARCHIVE(a, integrity->matched);
	ARCHIVE(a, integrity->incomplete);
	ARCHIVE(a, integrity->loss);
	ARCHIVE(a, integrity->corrupt);
	ARCHIVE(a, integrity->residual_ns_max);
	ARCHIVE(a, integrity->unseen_switches);
	ARCHIVE(a, integrity->unseen_wakeups);
	archive_flag(a, &integrity->truncated);
	ARCHIVE(a, integrity->match);
	ARCHIVE(a, integrity->elsewhere);
}

static void keep_observer(struct archive *a, struct observer *observer)
{
	archive_flag(a, &observer->measured);
	ARCHIVE(a, observer->bpf_ns_per_message);
	ARCHIVE(a, observer->effect.pairs);
	ARCHIVE(a, observer->effect.ratio);
	ARCHIVE(a, observer->effect.low);
	ARCHIVE(a, observer->effect.high);
}

static void keep_rounds(struct archive *a, struct rounds_summary *rounds)
{
	ARCHIVE(a, rounds->count);
	ARCHIVE(a, rounds->complete);
	ARCHIVE(a, rounds->given_up);
	ARCHIVE(a, rounds->tick_ns);
	keep_stat(a, &rounds->first);
	keep_stat(a, &rounds->next);
	keep_stat(a, &rounds->last);
	keep_sum(a, &rounds->first_components);
	keep_sum(a, &rounds->next_components);
	ARCHIVE(a, rounds->service_ns);
	ARCHIVE(a, rounds->efficiency_pct);
	archive_below(a, &rounds->order_cnt, SUMMARY_ORDERS_MAX + 1);
	for (uint32_t i = 0; i < rounds->order_cnt; i++) {
		ARCHIVE(a, rounds->order[i].hash);
		ARCHIVE(a, rounds->order[i].rounds);
		ARCHIVE(a, rounds->order[i].first);
	}
	ARCHIVE(a, rounds->order_other);
}

static void keep_calls(struct archive *a, struct calls_summary *calls)
{
	ARCHIVE(a, calls->count);
	keep_stat(a, &calls->round_trip);
	keep_stat(a, &calls->request);
	keep_stat(a, &calls->service);
	keep_stat(a, &calls->response);
	keep_stat(a, &calls->from_due);
	ARCHIVE(a, calls->state_cnt);
	ARCHIVE(a, calls->handed_over);
	ARCHIVE(a, calls->guessed);
	ARCHIVE(a, calls->ambiguous);
	ARCHIVE(a, calls->unasked);
	ARCHIVE(a, calls->state_ns);
	keep_waits(a, &calls->blocked);
}

static void keep_flow(struct archive *a, struct flow_summary *flow)
{
	ARCHIVE(a, flow->messages);
	ARCHIVE(a, flow->bytes);
	ARCHIVE(a, flow->seconds);
	ARCHIVE(a, flow->wakes_sent);
	ARCHIVE(a, flow->wakes_delivered);
}

static void keep_peaks(struct archive *a, struct peaks_summary *peaks)
{
	struct peak *largest = &peaks->largest;

	ARCHIVE(a, peaks->medium_ns);
	ARCHIVE(a, peaks->width_ns);
	ARCHIVE(a, peaks->count);
	ARCHIVE(a, peaks->per_second);
	ARCHIVE(a, peaks->min_ns);
	ARCHIVE(a, peaks->max_ns);
	ARCHIVE(a, peaks->cause);
	archive_flag(a, &peaks->has_largest);
	ARCHIVE(a, largest->latency_ns);
	ARCHIVE(a, largest->at_ns);
	ARCHIVE(a, largest->client);
	ARCHIVE_BELOW(a, largest->component, NR_COMPONENTS);
	ARCHIVE(a, largest->component_ns);
	keep_blame(a, &largest->blame);
}

static void keep_culprits(struct archive *a, struct summary *summary)
{
	archive_entries(a, &summary->blame, &summary->blame_cnt, sizeof(*summary->blame),
			BLAME_WORDS);
	for (uint32_t i = 0; i < summary->blame_cnt; i++) {
		keep_blame(a, &summary->blame[i].who);
		ARCHIVE(a, summary->blame[i].folded);
		ARCHIVE(a, summary->blame[i].messages);
	}
}

static void keep_client(struct archive *a, struct client_summary *client)
{
	ARCHIVE(a, client->client);
	ARCHIVE(a, client->tid);
	ARCHIVE_TEXT(a, client->comm);
	keep_stat(a, &client->latency);
	keep_sum(a, &client->components);
	ARCHIVE(a, client->position_sum);
	ARCHIVE(a, client->position_cnt);
	ARCHIVE(a, client->time_ns);
	ARCHIVE(a, client->gap_ns);
	ARCHIVE(a, client->messages);
	archive_flag(a, &client->left);
	ARCHIVE_BELOW(a, client->left_reason, NR_LEFT_REASONS);
	ARCHIVE(a, client->left_detail);
	ARCHIVE(a, client->left_round);
}

static void keep_clients(struct archive *a, struct summary *summary)
{
	archive_entries(a, &summary->client, &summary->client_cnt, sizeof(*summary->client),
			CLIENT_WORDS);
	for (uint32_t i = 0; i < summary->client_cnt; i++)
		keep_client(a, &summary->client[i]);
}

static void keep_end(struct archive *a, struct end_summary *end)
{
	ARCHIVE(a, end->pid);
	ARCHIVE(a, end->tid);
	ARCHIVE_TEXT(a, end->comm);
}

static void keep_channel(struct archive *a, struct channel_summary *channel)
{
	ARCHIVE(a, channel->id);
	ARCHIVE(a, channel->transport);
	ARCHIVE(a, channel->folded);
	ARCHIVE_TEXT(a, channel->name);
	keep_end(a, &channel->sender);
	keep_end(a, &channel->receiver);
	ARCHIVE(a, channel->messages);
	ARCHIVE(a, channel->bytes);
	ARCHIVE(a, channel->calls);
	keep_stat(a, &channel->latency);
	keep_sum(a, &channel->components);
}

static void keep_channels(struct archive *a, struct summary *summary)
{
	archive_entries(a, &summary->channel, &summary->channel_cnt, sizeof(*summary->channel),
			CHANNEL_WORDS);
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		keep_channel(a, &summary->channel[i]);
}

static void keep_server(struct archive *a, struct summary *summary)
{
	archive_flag(a, &summary->server_left);
	ARCHIVE_BELOW(a, summary->server_left_reason, NR_LEFT_REASONS);
	ARCHIVE(a, summary->server_left_detail);
}

/* The words of version 5 end before these. */
static void keep_all_left(struct archive *a, struct summary *summary)
{
	if (a->reads && a->at == a->cnt)
		return;
	archive_flag(a, &summary->all_left);
	ARCHIVE_BELOW(a, summary->all_left_reason, NR_LEFT_REASONS);
	ARCHIVE(a, summary->all_left_detail);
	archive_flag(a, &summary->all_left_early);
}

void keep_summary(struct archive *a, struct summary *summary)
{
	keep_integrity(a, &summary->integrity);
	keep_observer(a, &summary->observer);
	ARCHIVE(a, summary->duration_s);
	keep_stat(a, &summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		keep_stat(a, &summary->component[i]);
	ARCHIVE(a, summary->path);
	keep_stat(a, &summary->from_due);
	keep_rounds(a, &summary->rounds);
	keep_calls(a, &summary->calls);
	keep_flow(a, &summary->flow);
	keep_stat(a, &summary->tick.lateness);
	ARCHIVE(a, summary->tick.skipped);
	ARCHIVE(a, summary->load.count);
	archive_flag(a, &summary->load.ended);
	keep_peaks(a, &summary->peaks);
	keep_culprits(a, summary);
	keep_waits(a, &summary->blocked);
	keep_clients(a, summary);
	keep_channels(a, summary);
	ARCHIVE(a, summary->slower_cnt);
	keep_server(a, summary);
	keep_all_left(a, summary);
}
