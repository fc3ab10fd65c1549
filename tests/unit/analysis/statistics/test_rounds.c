/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "analysis/statistics/rounds.h"

#include <math.h>
#include <stdlib.h>

#define CLIENTS 4

struct run {
	struct client_summary client[CLIENTS];
	struct rounds *rounds;
	struct summary summary;
};

static int setup(void **state)
{
	struct run *run = calloc(1, sizeof(*run));

	*state = run;
	run->rounds = rounds__new(run->client, CLIENTS, 0);
	return run->rounds ? 0 : -1;
}

static int teardown(void **state)
{
	struct run *run = *state;

	rounds__free(run->rounds);
	stat_free(&run->summary.rounds.first);
	stat_free(&run->summary.rounds.next);
	stat_free(&run->summary.rounds.last);
	free(run);
	return 0;
}

EACH_TEST(setup, teardown)

static void tick(struct run *run, uint64_t round, uint32_t sent)
{
	assert_int_equal(rounds__tick(run->rounds, round, sent), 0);
}

/* A message stamped at `stamp_ns` whose whole latency is one component. */
static void arrive(struct run *run, uint64_t round, uint32_t client, uint64_t stamp_ns,
		   uint64_t user_ns)
{
	const struct segment whole = {
		.from_ns = stamp_ns, .to_ns = user_ns, .component = COMPONENT_RUNQUEUE};
	const struct round_arrival arrival = {
		.client = client,
		.stamp_ns = stamp_ns,
		.user_ns = user_ns,
		.segment = &whole,
		.segment_cnt = 1,
		.peak = {.latency_ns = user_ns - stamp_ns,
			 .client = client,
			 .component = client % 2 ? COMPONENT_RUNQUEUE : COMPONENT_WAKEUP},
	};

	assert_int_equal(rounds__arrive(run->rounds, round, &arrival), 0);
}

static const struct rounds_summary *rounds; /* of the last finish() */

static const struct rounds_summary *finish(struct run *run)
{
	rounds__finish(run->rounds, 0, 2.0, &run->summary);
	rounds = &run->summary.rounds;
	return rounds;
}

static void assert_stat(const struct stat *stat, uint64_t count, uint64_t sum, uint64_t min,
			uint64_t max)
{
	assert_int_equal(stat->count, count);
	assert_int_equal(stat->sum, sum);
	assert_int_equal(stat->min, min);
	assert_int_equal(stat->max, max);
}

/*
 *	stamp 1000     c2 1100    c1 1150     c3 1400
 *	  |----first----|--next----|---next-----|
 *	  |----------------last-----------------|
 */
TEST(a_round_has_a_first_next_ones_and_a_last)
{
	tick(*state, 0, 3);
	arrive(*state, 0, 1, 1000, 1150);
	arrive(*state, 0, 3, 1000, 1400);
	arrive(*state, 0, 2, 1000, 1100);
	finish(*state);
	assert_int_equal(rounds->count, 1);
	assert_int_equal(rounds->complete, 1);
	assert_stat(&rounds->first, 1, 100, 100, 100);
	assert_stat(&rounds->next, 2, 300, 50, 250);
	assert_stat(&rounds->last, 1, 400, 400, 400);
}

TEST(clients_get_their_positions)
{
	struct run *run = *state;

	for (uint64_t round = 0; round < 2; round++) {
		uint64_t stamp_ns = 1000 * (round + 1);

		tick(run, round, 3);
		arrive(run, round, 1, stamp_ns, stamp_ns + (round ? 100 : 300));
		arrive(run, round, 2, stamp_ns, stamp_ns + 200);
		arrive(run, round, 3, stamp_ns, stamp_ns + 400);
	}
	finish(run);
	assert_int_equal(run->client[0].position_sum, 3);
	assert_int_equal(run->client[1].position_sum, 3);
	assert_int_equal(run->client[2].position_sum, 6);
	assert_int_equal(run->client[0].position_cnt, 2);
	assert_int_equal(run->client[3].position_cnt, 0);
}

TEST(the_tick_may_come_last)
{
	arrive(*state, 0, 2, 1000, 1100);
	arrive(*state, 0, 1, 1000, 1150);
	tick(*state, 0, 2);
	assert_int_equal(finish(*state)->complete, 1);
}

TEST(a_single_client_is_first_and_last)
{
	tick(*state, 0, 1);
	arrive(*state, 0, 1, 1000, 1150);
	finish(*state);
	assert_stat(&rounds->first, 1, 150, 150, 150);
	assert_stat(&rounds->last, 1, 150, 150, 150);
	assert_int_equal(rounds->next.count, 0);
	assert_int_equal(rounds->next_components.count, 0);
}

TEST(clients_at_the_same_instant_are_in_the_order_of_their_numbers)
{
	tick(*state, 0, 3);
	arrive(*state, 0, 3, 1000, 1100);
	arrive(*state, 0, 1, 1000, 1100);
	arrive(*state, 0, 2, 1000, 1100);
	finish(*state);
	assert_stat(&rounds->first, 1, 100, 100, 100);
	assert_stat(&rounds->next, 2, 0, 0, 0);
	assert_stat(&rounds->last, 1, 100, 100, 100);
	assert_int_equal(rounds->order[0].first[0], 1);
	assert_int_equal(rounds->order[0].first[1], 2);
	assert_int_equal(rounds->order[0].first[2], 3);
	assert_int_equal(rounds->order[0].first[3], 0);
}

TEST(an_incomplete_round_is_seen_but_in_no_statistic)
{
	struct run *run = *state;

	tick(run, 0, 3);
	arrive(run, 0, 1, 1000, 1100);
	arrive(run, 0, 2, 1000, 1100);
	arrive(run, 1, 1, 2000, 2100); /* no tick */
	tick(run, 2, 2);               /* no arrival */
	finish(run);
	assert_int_equal(rounds->count, 3);
	assert_int_equal(rounds->complete, 0);
	assert_int_equal(rounds->first.count + rounds->next.count + rounds->last.count, 0);
	assert_int_equal(rounds->first_components.count + rounds->order_cnt, 0);
	assert_int_equal(run->client[0].position_cnt, 0);
}

TEST(a_round_to_no_client_is_never_complete)
{
	tick(*state, 0, 0);
	assert_int_equal(finish(*state)->complete, 0);
}

/* A round has as many messages as were sent: an attach knows no clients. */
TEST(a_round_may_be_shorter_than_others)
{
	tick(*state, 0, 2);
	arrive(*state, 0, 1, 1000, 1100);
	arrive(*state, 0, 2, 1000, 1200);
	tick(*state, 1, 1);
	arrive(*state, 1, 1, 2000, 2100);
	assert_int_equal(finish(*state)->complete, 2);
}

/* The server has dropped client 2: from then on it sends one message less. */
TEST(a_round_that_a_client_has_left_is_in_no_statistic)
{
	struct run *run = *state;

	rounds__free(run->rounds);
	run->rounds = rounds__new(run->client, 2, 2);
	assert_non_null(run->rounds);
	tick(run, 0, 2);
	arrive(run, 0, 1, 1000, 1100);
	arrive(run, 0, 2, 1000, 1200);
	tick(run, 1, 1);
	arrive(run, 1, 1, 2000, 2900);
	arrive(run, 2, 1, 3000, 3900);
	tick(run, 2, 1);
	finish(run);
	assert_int_equal(rounds->count, 3);
	assert_int_equal(rounds->complete, 1);
	assert_stat(&rounds->first, 1, 100, 100, 100);
	assert_stat(&rounds->next, 1, 100, 100, 100);
	assert_stat(&rounds->last, 1, 200, 200, 200);
	assert_int_equal(rounds->order_cnt, 1);
	assert_int_equal(run->client[0].position_cnt, 1);
}

/* Client 2 was slow: it is still in round 0 when client 1 is through with round 1. */
TEST(rounds_may_overlap)
{
	tick(*state, 0, 2);
	tick(*state, 1, 2);
	arrive(*state, 0, 1, 1000, 1100);
	arrive(*state, 1, 1, 2000, 2100);
	arrive(*state, 0, 2, 1000, 2500);
	arrive(*state, 1, 2, 2000, 2600);
	finish(*state);
	assert_int_equal(rounds->complete, 2);
	assert_stat(&rounds->last, 2, 2100, 600, 1500);
	assert_stat(&rounds->next, 2, 1900, 500, 1400);
}

TEST(a_client_that_is_none_is_refused)
{
	struct run *run = *state;
	struct round_arrival arrival = {.client = 0};

	assert_true(rounds__arrive(run->rounds, 0, &arrival) < 0);
	arrival.client = CLIENTS + 1;
	assert_true(rounds__arrive(run->rounds, 0, &arrival) < 0);
	arrival.client = CLIENTS;
	assert_int_equal(rounds__arrive(run->rounds, 0, &arrival), 0);
}

/*
 *	       1000      1040 1060      1100         1150
 *	client 1 |dispatch 40 |  runqueue 60 |
 *	client 2 |dispatch      60 |  wakeup  60    |  return 30 |
 *	                              1120               <- the gap is 1100..1150
 */
TEST(a_gap_is_cut_by_the_later_clients_components)
{
	static const struct segment one[] = {{1000, 1040, COMPONENT_DISPATCH, 0},
					     {1040, 1100, COMPONENT_RUNQUEUE, 0}};
	static const struct segment two[] = {{1000, 1060, COMPONENT_DISPATCH, 0},
					     {1060, 1120, COMPONENT_WAKEUP, 0},
					     {1120, 1150, COMPONENT_RETURN, 0}};
	const struct round_arrival arrivals[] = {
		{.client = 2, .stamp_ns = 1000, .user_ns = 1150, .segment = two, .segment_cnt = 3},
		{.client = 1, .stamp_ns = 1000, .user_ns = 1100, .segment = one, .segment_cnt = 2}};
	struct run *run = *state;

	tick(run, 0, 2);
	rounds__arrive(run->rounds, 0, &arrivals[0]);
	rounds__arrive(run->rounds, 0, &arrivals[1]);
	finish(run);
	assert_int_equal(rounds->first_components.count, 1);
	assert_int_equal(rounds->first_components.ns[COMPONENT_DISPATCH], 40);
	assert_int_equal(rounds->first_components.ns[COMPONENT_RUNQUEUE], 60);
	assert_int_equal(rounds->next_components.count, 1);
	assert_int_equal(rounds->next_components.ns[COMPONENT_WAKEUP], 20);
	assert_int_equal(rounds->next_components.ns[COMPONENT_RETURN], 30);
	assert_int_equal(sum_of(rounds->next_components.ns, NR_COMPONENTS), 50);
}

/* Whatever the segments are: those of first and next add up to first and next. */
TEST(the_components_of_the_gaps_add_up_to_the_gaps)
{
	struct run *run = *state;
	uint64_t seed = 1;

	for (uint64_t round = 0; round < 500; round++) {
		uint64_t stamp_ns = 10000 * round;

		tick(run, round, CLIENTS);
		for (uint32_t client = 1; client <= CLIENTS; client++) {
			struct segment segment[10];
			struct round_arrival arrival = {.client = client, .stamp_ns = stamp_ns};
			uint64_t at_ns = stamp_ns;

			for (int i = 0; i < 10; i++) {
				uint64_t to_ns = at_ns + 1 + random_below(&seed, 100);

				segment[i] = (struct segment){
					at_ns, to_ns, random_below(&seed, NR_COMPONENTS), 0};
				at_ns = to_ns;
			}
			arrival.user_ns = at_ns;
			arrival.segment = segment;
			arrival.segment_cnt = 10;
			assert_int_equal(rounds__arrive(run->rounds, round, &arrival), 0);
		}
	}
	finish(run);
	assert_int_equal(rounds->complete, 500);
	assert_int_equal(sum_of(rounds->first_components.ns, NR_COMPONENTS), rounds->first.sum);
	assert_int_equal(sum_of(rounds->next_components.ns, NR_COMPONENTS), rounds->next.sum);
	assert_int_equal(rounds->first.sum + rounds->next.sum, rounds->last.sum);
}

TEST(serving_orders_are_counted_most_frequent_first)
{
	static const uint32_t orders[][3] = {{1, 2, 3}, {3, 2, 1}, {2, 1, 3},
					     {3, 2, 1}, {2, 1, 3}, {3, 2, 1}};

	for (uint64_t round = 0; round < ARRAY_SIZE(orders); round++) {
		tick(*state, round, 3);
		for (uint64_t i = 0; i < 3; i++)
			arrive(*state, round, orders[round][i], 1000, 1100 + 10 * i);
	}
	finish(*state);
	assert_int_equal(rounds->order_cnt, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rounds->order[i].rounds, 3 - i);
	assert_int_equal(rounds->order[0].first[0], 3);
	assert_int_equal(rounds->order[1].first[0], 2);
	assert_int_equal(rounds->order[2].first[0], 1);
	assert_int_equal(rounds->order_other, 0);
}

/* The 24 orders of four clients and the 24 of any three are more than are counted one by one. */
TEST(orders_beyond_the_table_are_others)
{
	uint64_t round = 0, counted = 0;

	for (uint32_t code = 0; code < 256; code++) {
		uint32_t seen = 0;

		for (uint32_t i = 0; i < 4; i++)
			seen |= 1u << (code >> 2 * i & 3);
		for (uint32_t sent = 3; seen == 15 && sent <= 4; sent++, round++) {
			tick(*state, round, sent);
			for (uint32_t i = 0; i < sent; i++)
				arrive(*state, round, 1 + (code >> 2 * i & 3), 1000, 1100 + i);
		}
	}
	assert_int_equal(round, 48);
	finish(*state);
	assert_int_equal(rounds->order_cnt, SUMMARY_ORDERS_MAX);
	assert_int_equal(rounds->order_other, 48 - SUMMARY_ORDERS_MAX);
	for (uint32_t i = 0; i < rounds->order_cnt; i++)
		counted += rounds->order[i].rounds;
	assert_int_equal(counted + rounds->order_other, rounds->complete);
}

static void one_round(struct run *run, uint64_t round, uint32_t client, uint64_t latency_ns)
{
	tick(run, round, 1);
	arrive(run, round, client, 1000000 * round, 1000000 * round + latency_ns);
}

/* 98 rounds of 1000 ns, one of 50000 by client 1, one of 80000 by client 2. */
TEST(what_lies_beyond_the_range_is_a_peak)
{
	struct run *run = *state;
	const struct peaks_summary *peaks = &run->summary.peaks;
	double mean = (98 * 1000 + 50000 + 80000) / 100.0;
	double mean_square = (98 * 1e6 + 25e8 + 64e8) / 100;

	for (uint64_t round = 0; round < 98; round++)
		one_round(run, round, 1, 1000);
	one_round(run, 98, 2, 80000);
	one_round(run, 99, 1, 50000);
	finish(run);
	assert_true(fabs(peaks->medium_ns - mean) < 1e-6);
	assert_true(fabs(peaks->width_ns - 2 * sqrt(mean_square - mean * mean)) < 1e-6);
	assert_int_equal(peaks->count, 2);
	assert_true(peaks->per_second == 1.0); /* in two seconds */
	assert_true(peaks->min_ns <= 50000 && peaks->min_ns >= 50000 - 50000 / 1024);
	assert_int_equal(peaks->max_ns, 80000);
	assert_int_equal(peaks->cause[COMPONENT_RUNQUEUE], 1);
	assert_int_equal(peaks->cause[COMPONENT_WAKEUP], 1);
	assert_int_equal(sum_of(peaks->cause, NR_COMPONENTS), peaks->count);
	assert_true(peaks->has_largest);
	assert_int_equal(peaks->largest.latency_ns, 80000);
	assert_int_equal(peaks->largest.client, 2);
	assert_int_equal(peaks->largest.at_ns, 98000000);
	assert_int_equal(peaks->largest.stamp_ns, 98000000);
}

TEST(a_run_of_less_than_a_second_does_not_say_how_often_peaks_come)
{
	struct run *run = *state;

	for (uint64_t round = 0; round < 99; round++)
		one_round(run, round, 1, 1000);
	one_round(run, 99, 1, 50000);
	rounds__finish(run->rounds, 0, 0.5, &run->summary);
	assert_int_equal(run->summary.peaks.count, 1);
	assert_true(isnan(run->summary.peaks.per_second));
}

TEST(an_even_run_has_no_peaks)
{
	struct run *run = *state;

	for (uint64_t round = 0; round < 100; round++)
		one_round(run, round, 1, 1000);
	finish(run);
	assert_int_equal(run->summary.peaks.count, 0);
	assert_false(run->summary.peaks.has_largest);
	assert_true(run->summary.peaks.width_ns == 0);
}

TEST(service_time_is_mean_and_deviation_and_efficiency_its_share_of_a_tick)
{
	one_round(*state, 0, 1, 100000);
	one_round(*state, 1, 1, 300000);
	finish(*state);
	assert_true(fabs(rounds->service_ns - 300000) < 1e-6);
	assert_int_equal(rounds->tick_ns, 1000000);
	assert_true(fabs(rounds->efficiency_pct - 30) < 1e-9);
}

TEST(a_run_without_rounds_is_all_zero)
{
	const struct rounds_summary *rounds = finish(*state);

	assert_int_equal(rounds->count + rounds->complete + rounds->order_cnt, 0);
	assert_true(rounds->service_ns == 0 && rounds->efficiency_pct == 0);
}

/* When too many messages wait for their rounds, the oldest go, and later ones still become
 * complete. */
TEST(the_oldest_incomplete_rounds_make_room)
{
	const uint64_t total = ROUNDS_OPEN_ARRIVALS_MAX + 100;

	for (uint64_t round = 0; round < total; round++)
		arrive(*state, round, 1, 1000, 1100);
	tick(*state, 5, 1);         /* has gone */
	tick(*state, total - 1, 1); /* is here */
	finish(*state);
	assert_int_equal(rounds->complete, 1);
}

TEST(a_round_that_made_room_is_seen_once)
{
	const uint64_t total = ROUNDS_OPEN_ARRIVALS_MAX + 100;

	for (uint64_t round = 0; round < total; round++)
		arrive(*state, round, 1, 1000, 1100);
	tick(*state, 5, 1);
	assert_int_equal(finish(*state)->count, total);
}
