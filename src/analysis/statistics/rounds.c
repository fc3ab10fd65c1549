/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps incomplete rounds in a hash table, and adds a round up as soon as it is complete. */
#include "analysis/statistics/rounds.h"

#include "container/hash_table.h"
#include "container/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* GRAME 2001 relates the service time to a theoretical tick of 1 ms. */
#define PAPER_TICK_NS 1000000

struct round {
	uint64_t number;
	bool ticked;
	uint32_t sent;                 /* valid if ticked */
	struct round_arrival *arrival; /* `segment` is an owned copy */
	uint32_t arrival_cnt;
	size_t arrival_room;
	UT_hash_handle hh;
};

struct rounds {
	struct round *open; /* hash by number, oldest first */
	uint64_t open_arrivals;
	uint64_t given_up; /* rounds below this number made room for others: their arrivals are
			      ignored */
	struct client_summary *client;
	uint32_t client_cnt;
	uint32_t full; /* the least messages of a complete round */
	struct rounds_summary summary;
	struct stat last_by_cause[NR_COMPONENTS]; /* last latencies by their largest component */
	struct peak largest; /* without at_ns, which counts from the first stamp of the run */
	uint64_t largest_stamp_ns;
};

struct rounds *rounds__new(struct client_summary *client, uint32_t client_cnt, uint32_t full)
{
	struct rounds *rounds = calloc(1, sizeof(*rounds));

	if (!rounds)
		return NULL;
	rounds->client = client;
	rounds->client_cnt = client_cnt;
	rounds->full = full;
	return rounds;
}

static void rounds_close_round(struct rounds *rounds, struct round *round)
{
	for (uint32_t i = 0; i < round->arrival_cnt; i++)
		free((void *)round->arrival[i].segment);
	rounds->open_arrivals -= round->arrival_cnt;
	HASH_DEL(rounds->open, round);
	free(round->arrival);
	free(round);
}

void rounds__free(struct rounds *rounds)
{
	if (!rounds)
		return;
	while (rounds->open)
		rounds_close_round(rounds, rounds->open);
	stat_free(&rounds->summary.first);
	stat_free(&rounds->summary.next);
	stat_free(&rounds->summary.last);
	for (int i = 0; i < NR_COMPONENTS; i++)
		stat_free(&rounds->last_by_cause[i]);
	free(rounds);
}

static struct round *open_round(struct rounds *rounds, uint64_t number)
{
	struct round *round;

	HASH_FIND(hh, rounds->open, &number, sizeof(number), round);
	if (round)
		return round;
	HASH_ADD_NEW(rounds->open, number, number, round);
	if (!round)
		return NULL;
	rounds->summary.count++;
	return round;
}

static int rounds_compare_arrivals(const void *a, const void *b)
{
	const struct round_arrival *x = a, *y = b;

	if (x->user_ns != y->user_ns)
		return x->user_ns > y->user_ns ? 1 : -1;
	return (x->client > y->client) - (x->client < y->client);
}

/* Adds the parts of the segments that lie in [from_ns, to_ns]. */
static void add_clipped(struct component_sum *sum, const struct round_arrival *arrival,
			uint64_t from_ns, uint64_t to_ns)
{
	sum->count++;
	for (uint32_t i = 0; i < arrival->segment_cnt; i++) {
		const struct segment *segment = &arrival->segment[i];
		uint64_t from = segment->from_ns > from_ns ? segment->from_ns : from_ns;
		uint64_t to = segment->to_ns < to_ns ? segment->to_ns : to_ns;

		if (from < to)
			sum->ns[segment->component] += to - from;
	}
}

static void count_order(struct rounds_summary *summary, const struct round *round)
{
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a over the client numbers */
	struct serving_order *order = summary->order;
	struct serving_order *end = order + summary->order_cnt;

	for (uint32_t i = 0; i < round->arrival_cnt; i++)
		hash = (hash ^ round->arrival[i].client) * 1099511628211ULL;
	while (order < end && order->hash != hash)
		order++;
	if (order == end) {
		if (summary->order_cnt == SUMMARY_ORDERS_MAX) {
			summary->order_other++;
			return;
		}
		summary->order_cnt++;
		order->hash = hash;
		for (uint32_t i = 0; i < round->arrival_cnt && i < 8; i++)
			order->first[i] = round->arrival[i].client;
	}
	order->rounds++;
}

static void add_last(struct rounds *rounds, const struct round_arrival *last)
{
	uint64_t latency_ns = last->user_ns - last->stamp_ns;

	stat_add(&rounds->summary.last, latency_ns);
	if (last->segment_cnt) /* not in an untraced run */
		stat_add(&rounds->last_by_cause[last->peak.component], latency_ns);
	if (latency_ns > rounds->largest.latency_ns) {
		rounds->largest = last->peak;
		rounds->largest_stamp_ns = last->stamp_ns;
	}
}

/*
 *	stamp           user(1)        user(2)             user(N)
 *	  |---- first ----|---- next ----|---- next ... ----|
 *	  |---------------------- last --------------------|
 *
 * The components of the later client that fall into a gap cut it.
 */
static void complete_round(struct rounds *rounds, struct round *round)
{
	struct rounds_summary *summary = &rounds->summary;
	const struct round_arrival *arrival = round->arrival;

	qsort(round->arrival, round->arrival_cnt, sizeof(*round->arrival), rounds_compare_arrivals);
	for (uint32_t i = 0; i < round->arrival_cnt; i++) {
		const struct round_arrival *this = &arrival[i];
		struct client_summary *client = &rounds->client[this->client - 1];

		if (i == 0) {
			stat_add(&summary->first, this->user_ns - this->stamp_ns);
			add_clipped(&summary->first_components, &arrival[i], this->stamp_ns,
				    this->user_ns);
		} else {
			uint64_t before_ns = arrival[i - 1].user_ns;

			stat_add(&summary->next, this->user_ns - before_ns);
			add_clipped(&summary->next_components, &arrival[i], before_ns,
				    this->user_ns);
		}
		client->position_sum += i + 1;
		client->position_cnt++;
	}
	add_last(rounds, &arrival[round->arrival_cnt - 1]);
	count_order(summary, round);
	summary->complete++;
	rounds_close_round(rounds, round);
}

/* A round that clients have left is shorter than the others: its latencies do not count. */
static void close_if_all_arrived(struct rounds *rounds, struct round *round)
{
	if (!round->ticked || !round->arrival_cnt || round->arrival_cnt != round->sent)
		return;
	if (round->sent < rounds->full)
		rounds_close_round(rounds, round);
	else
		complete_round(rounds, round);
}

static void rounds_give_up(struct rounds *rounds, struct round *round)
{
	if (round->number >= rounds->given_up)
		rounds->given_up = round->number + 1;
	rounds_close_round(rounds, round);
}

int rounds__tick(struct rounds *rounds, uint64_t number, uint32_t sent)
{
	struct round *round;

	/* Rounds without any arrival are bounded too. */
	if (HASH_COUNT(rounds->open) >= ROUNDS_OPEN_ARRIVALS_MAX)
		rounds_give_up(rounds, rounds->open);
	if (number < rounds->given_up)
		return 0;
	round = open_round(rounds, number);
	if (!round)
		return -ENOMEM;
	round->ticked = true;
	round->sent = sent;
	close_if_all_arrived(rounds, round);
	return 0;
}

static int rounds_append(struct rounds *rounds, struct round *round,
			 const struct round_arrival *arrival)
{
	size_t size = arrival->segment_cnt * sizeof(*arrival->segment);
	struct segment *segment = size ? malloc(size) : NULL;

	if ((size && !segment) || array_grow(&round->arrival, round->arrival_cnt,
					     &round->arrival_room, sizeof(*round->arrival))) {
		free(segment);
		return -ENOMEM;
	}
	if (size)
		memcpy(segment, arrival->segment, size);
	round->arrival[round->arrival_cnt] = *arrival;
	round->arrival[round->arrival_cnt++].segment = segment;
	rounds->open_arrivals++;
	return 0;
}

int rounds__arrive(struct rounds *rounds, uint64_t number, const struct round_arrival *arrival)
{
	struct round *round;
	int err;

	if (!arrival->client || arrival->client > rounds->client_cnt)
		return -EINVAL;
	/*
	 * A round that lacks a message stays open; the oldest one makes room if there are too many.
	 */
	while (rounds->open_arrivals >= ROUNDS_OPEN_ARRIVALS_MAX)
		rounds_give_up(rounds, rounds->open);
	if (number < rounds->given_up)
		return 0;
	round = open_round(rounds, number);
	if (!round)
		return -ENOMEM;
	err = rounds_append(rounds, round, arrival);
	if (!err)
		close_if_all_arrived(rounds, round);
	return err;
}

static int compare_orders(const void *a, const void *b)
{
	const struct serving_order *x = a, *y = b;

	if (x->rounds != y->rounds)
		return x->rounds < y->rounds ? 1 : -1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void find_peaks(struct rounds *rounds, double duration_s, struct peaks_summary *peaks)
{
	const struct stat *last = &rounds->summary.last;
	uint64_t limit_ns, lowest_ns;

	peaks->medium_ns = stat_mean(last);
	peaks->width_ns = 2 * stat_stddev(last);
	limit_ns = peaks->medium_ns + peaks->width_ns;
	peaks->count = stat_count_above(last, limit_ns, &peaks->min_ns);
	if (!peaks->count)
		return;
	peaks->max_ns = last->max;
	/* Below a second a frequency has no meaning. */
	peaks->per_second = duration_s >= 1 ? peaks->count / duration_s : NAN;
	for (int i = 0; i < NR_COMPONENTS; i++)
		peaks->cause[i] = stat_count_above(&rounds->last_by_cause[i], limit_ns, &lowest_ns);
	peaks->has_largest = true;
	peaks->largest = rounds->largest;
}

void rounds__finish(struct rounds *rounds, uint64_t first_ns, double duration_s,
		    struct summary *summary)
{
	struct rounds_summary *result = &rounds->summary;

	find_peaks(rounds, duration_s, &summary->peaks);
	if (summary->peaks.has_largest) {
		summary->peaks.largest.at_ns = rounds->largest_stamp_ns - first_ns;
		summary->peaks.largest.stamp_ns = rounds->largest_stamp_ns;
	}
	result->tick_ns = PAPER_TICK_NS;
	result->service_ns = stat_mean(&result->last) + stat_stddev(&result->last);
	result->efficiency_pct = 100 * result->service_ns / result->tick_ns;
	qsort(result->order, result->order_cnt, sizeof(result->order[0]), compare_orders);
	summary->rounds = *result;
	memset(result, 0, sizeof(*result));
}
