/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/same_summary.h"

#include "support/build.h"

#include <math.h>

static void assert_same_stat(const struct stat *a, const struct stat *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(a->sum == b->sum && a->sum_of_squares == b->sum_of_squares);
	for (int i = 0; i < STAT_OCTAVES; i++) {
		assert_int_equal(!a->octave[i], !b->octave[i]);
		if (a->octave[i])
			assert_memory_equal(a->octave[i], b->octave[i],
					    sizeof(uint32_t) << STAT_SUB_BITS);
	}
}

static void assert_same_sums(const struct component_sum *a, const struct component_sum *b)
{
	assert_int_equal(a->count, b->count);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(a->ns[i], b->ns[i]);
}

static void assert_same_blame(const struct blame *a, const struct blame *b)
{
	assert_int_equal(a->class, b->class);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->ns, b->ns);
	assert_int_equal(a->policy, b->policy);
	assert_int_equal(a->priority, b->priority);
	assert_string_equal(a->comm, b->comm);
}

static void assert_same_missed(const struct missed_summary *a, const struct missed_summary *b)
{
	assert_int_equal(a->late, b->late);
	assert_int_equal(a->skipped, b->skipped);
	assert_int_equal(a->unfinished, b->unfinished);
	assert_int_equal(a->cause_cnt, b->cause_cnt);
	for (uint32_t i = 0; i < a->cause_cnt; i++) {
		assert_int_equal(a->cause[i].is_late, b->cause[i].is_late);
		assert_int_equal(a->cause[i].is_known, b->cause[i].is_known);
		assert_int_equal(a->cause[i].component, b->cause[i].component);
		assert_int_equal(a->cause[i].has_blame, b->cause[i].has_blame);
		assert_int_equal(a->cause[i].count, b->cause[i].count);
		assert_same_blame(&a->cause[i].blame, &b->cause[i].blame);
	}
}

static void assert_same_rounds(const struct rounds_summary *a, const struct rounds_summary *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->complete, b->complete);
	assert_int_equal(a->tick_ns, b->tick_ns);
	assert_int_equal(a->period_ns, b->period_ns);
	assert_same_stat(&a->distance, &b->distance);
	assert_same_missed(&a->missed, &b->missed);
	assert_same_stat(&a->first, &b->first);
	assert_same_stat(&a->next, &b->next);
	assert_same_stat(&a->last, &b->last);
	assert_same_sums(&a->first_components, &b->first_components);
	assert_same_sums(&a->next_components, &b->next_components);
	assert_true(a->service_ns == b->service_ns && a->efficiency_pct == b->efficiency_pct);
	assert_int_equal(a->order_cnt, b->order_cnt);
	assert_int_equal(a->order_other, b->order_other);
	for (uint32_t i = 0; i < a->order_cnt; i++) {
		assert_int_equal(a->order[i].hash, b->order[i].hash);
		assert_int_equal(a->order[i].rounds, b->order[i].rounds);
		assert_memory_equal(a->order[i].first, b->order[i].first,
				    sizeof(a->order[i].first));
	}
}

static void assert_same_peaks(const struct peaks_summary *a, const struct peaks_summary *b)
{
	assert_true(a->medium_ns == b->medium_ns && a->width_ns == b->width_ns);
	/* The rate of less than a second is not known. */
	assert_true(a->per_second == b->per_second ||
		    (isnan(a->per_second) && isnan(b->per_second)));
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(a->cause[i], b->cause[i]);
	assert_int_equal(a->has_largest, b->has_largest);
	assert_int_equal(a->largest.latency_ns, b->largest.latency_ns);
	assert_int_equal(a->largest.at_ns, b->largest.at_ns);
	assert_int_equal(a->largest.stamp_ns, b->largest.stamp_ns);
	assert_int_equal(a->largest.client, b->largest.client);
	assert_int_equal(a->largest.component, b->largest.component);
	assert_int_equal(a->largest.component_ns, b->largest.component_ns);
	assert_same_blame(&a->largest.blame, &b->largest.blame);
}

static void assert_same_client(const struct client_summary *a, const struct client_summary *b)
{
	assert_int_equal(a->client, b->client);
	assert_int_equal(a->tid, b->tid);
	assert_string_equal(a->comm, b->comm);
	assert_same_stat(&a->latency, &b->latency);
	assert_same_sums(&a->components, &b->components);
	assert_int_equal(a->position_sum, b->position_sum);
	assert_int_equal(a->position_cnt, b->position_cnt);
	assert_int_equal(a->left, b->left);
}

void assert_same_summary(const struct summary *a, const struct summary *b)
{
	assert_memory_equal(&a->integrity, &b->integrity, sizeof(a->integrity));
	assert_true(a->duration_s == b->duration_s);
	assert_same_stat(&a->latency, &b->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_same_stat(&a->component[i], &b->component[i]);
	assert_memory_equal(a->path, b->path, sizeof(a->path));
	assert_same_rounds(&a->rounds, &b->rounds);
	assert_same_stat(&a->tick.lateness, &b->tick.lateness);
	assert_int_equal(a->tick.skipped, b->tick.skipped);
	assert_same_peaks(&a->peaks, &b->peaks);
	assert_int_equal(a->blame_cnt, b->blame_cnt);
	for (uint32_t i = 0; i < a->blame_cnt; i++) {
		assert_same_blame(&a->blame[i].total, &b->blame[i].total);
		assert_int_equal(a->blame[i].messages, b->blame[i].messages);
	}
	assert_int_equal(a->client_cnt, b->client_cnt);
	for (uint32_t i = 0; i < a->client_cnt; i++)
		assert_same_client(&a->client[i], &b->client[i]);
	assert_int_equal(a->server_left, b->server_left);
	for (int i = 0; i < NR_CHOICES; i++) {
		assert_int_equal(a->choice[i].matched, b->choice[i].matched);
		assert_int_equal(a->choice[i].others, b->choice[i].others);
		assert_int_equal(a->choice[i].names, b->choice[i].names);
		for (int j = 0; j < CHOICE_SEEN_MAX; j++) {
			assert_int_equal(a->choice[i].seen[j].end.pid,
					 b->choice[i].seen[j].end.pid);
			assert_string_equal(a->choice[i].seen[j].end.comm,
					    b->choice[i].seen[j].end.comm);
			assert_int_equal(a->choice[i].seen[j].messages,
					 b->choice[i].seen[j].messages);
		}
	}
}
