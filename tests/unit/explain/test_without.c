/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentiles without a culprit, and the typical slow unit. */
#include "explain/scene.h"
#include "explain/typical.h"
#include "explain/without.h"

#include <math.h>

#define UNITS 10000

static void assert_about(uint64_t got, uint64_t expected)
{
	if (got < expected || got > expected + expected / 1000)
		fail_msg("%lu is not %lu", (unsigned long)got, (unsigned long)expected);
}

static const struct explain_without *find(const struct explanation *e, const char *comm)
{
	for (uint32_t i = 0; i < e->without_cnt; i++) {
		if (!strcmp(e->row[e->without[i].row].by.comm, comm))
			return &e->without[i];
	}
	return NULL;
}

/* 3 % of the units wait for a hog; 1 % for a kworker; both wait for two parts of the latency. */
TEST(percentiles_move_without_a_culprit)
{
	const struct explanation *e = &scene.explanation;

	scene = (struct scene){.choice.selection.slower_than_ns = 100000};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool hog = i % 100 < 3, worker = i % 100 == 50;

		scene_add(&scene, i * 1000000, hog ? 510000 : worker ? 210000 : 10000);
		if (hog) {
			scene_wait(&scene, 77, "hog", 300000);
			scene_wait(&scene, 78, "hog", 200000)->part = PART_RESPONSE;
		}
		if (worker)
			scene_wait(&scene, 5, "worker", 200000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_about(e->p99_ns, 510000);
	assert_about(e->p999_ns, 510000);
	assert_int_equal(e->without_cnt, 2);
	assert_string_equal(e->row[e->without[0].row].by.comm, "hog");
	assert_int_equal(e->row[e->without[0].row].part, PART_WHOLE);
	assert_about(e->without[0].p99_ns, 10000);
	assert_about(e->without[0].p999_ns, 210000);
	assert_about(e->without[1].p99_ns, 510000);
}

TEST(components_themselves_are_no_culprits)
{
	for (uint64_t i = 0; i < UNITS; i++) {
		scene_add(&scene, i * 1000000, 5000 + i);
		scene_cause(&scene, COMPONENT_BLOCKED, CAUSE_UNKNOWN, 2000 + i / 2);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.without_cnt, 0);
	assert_true(scene.explanation.p99_ns > 0);
}

TEST(what_followed_does_not_count_twice)
{
	const struct explain_without *without;

	for (uint64_t i = 0; i < UNITS; i++) {
		scene_add(&scene, i * 1000000, i % 100 ? 10000 : 100000 + i);
		if (i % 100 == 0) {
			scene_wait(&scene, 77, "owner", 50000)->cost = COMPONENT_BLOCKED;
			scene_wait(&scene, 77, "owner", 40000)->parent = 1;
		}
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	without = find(&scene.explanation, "owner");
	assert_non_null(without);
	assert_int_equal(scene.explanation.without_cnt, 1);
	/* Ten are larger than that of i = 8900. */
	assert_about(scene.explanation.p999_ns, 108900);
	assert_about(without->p999_ns, 58900);
}

/* Few culprits count much, among very many that count little, and come before and after them. */
TEST(large_culprits_are_not_forgotten)
{
	const struct explanation *e = &scene.explanation;

	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_slow = i >= UNITS / 2 && i % 50 == 0;
		char comm[16];

		snprintf(comm, sizeof(comm), "c%lu", (unsigned long)i);
		scene_add(&scene, i * 1000000, is_slow ? 900000 + i : 10000 + i % 10);
		scene_wait(&scene, 1000 + i, comm, 5000);
		if (is_slow)
			scene_wait(&scene, 77, "hog", 800000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_non_null(find(e, "hog"));
	assert_int_equal(&e->without[0], find(e, "hog"));
	assert_in_range(e->without[0].p999_ns, 100000, 120000);
}

/* The reduced percentile against sorted latencies. */
static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(random_units_agree_with_sorting)
{
	for (uint64_t seed = 5, i = 0; i < 20; i++) {
		struct scene scene = {.choice.selection.slowest_percent = 5};
		uint64_t cnt = 100 + random_below(&seed, 2000), reduced[2100];
		const struct explain_without *without;

		for (uint64_t j = 0; j < cnt; j++) {
			uint64_t hog = random_below(&seed, 3) ? 0 : random_below(&seed, 500000);
			uint64_t own = 1000 + random_below(&seed, 20000);

			scene_add(&scene, j * 1000000, hog + own);
			scene_wait(&scene, 77, "hog", hog);
			scene_receive_rest(&scene);
			reduced[j] = own;
		}
		scene_explain(&scene);
		qsort(reduced, cnt, sizeof(reduced[0]), ascending);
		without = find(&scene.explanation, "hog");
		assert_non_null(without);
		assert_about(without->p99_ns, reduced[(uint64_t)ceil(0.99 * cnt - 1e-6) - 1]);
		assert_about(without->p999_ns, reduced[(uint64_t)ceil(0.999 * cnt - 1e-6) - 1]);
		scene_free(&scene);
	}
}

/* One of a hundred slow units is ten times as long, and one has another cause. */
TEST(the_typical_unit_is_like_most)
{
	const struct explain_typical *typical = &scene.explanation.typical;

	scene = (struct scene){.choice.selection.slower_than_ns = 100000};
	for (uint64_t i = 0; i < UNITS; i++) {
		uint64_t latency = i % 100 ? 10000 : i == 500 ? 9000000 : 300000 + i;

		scene_add(&scene, i * 1000000, latency);
		if (i % 100 == 0)
			scene_wait(&scene, i == 700 ? 5 : 77, i == 700 ? "other" : "hog",
				   latency - 10000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_true(typical->is_known);
	assert_true(typical->unit.position != 501 && typical->unit.position != 701);
	assert_int_equal(typical->unit.cause_cnt, 2);
	assert_string_equal(typical->unit.cause[0].by.comm, "hog");
	assert_true(typical->unit.cause != scene.cause[typical->unit.position - 1]);
	assert_int_equal(typical->moment_cnt, 1);
	assert_int_equal(typical->moment[0].from_ns, typical->unit.from_ns);
}

/* One slow unit lacks the hog. What it has is as usual. */
TEST(what_a_unit_lacks_counts_too)
{
	scene = (struct scene){.choice.selection.slower_than_ns = 100000};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_slow = i % 100 == 0, has_hog = is_slow && i != 5000;

		scene_add(&scene, i * 1000000,
			  (is_slow ? 150000 + i : 10000) + (has_hog ? 300000 : 0));
		if (has_hog)
			scene_wait(&scene, 77, "hog", 300000 + (i % 200 ? 1000 : -1000));
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_true(scene.explanation.typical.is_known);
	assert_int_not_equal(scene.explanation.typical.unit.position, 5001);
}

TEST(moments_are_asked_for_a_few_units)
{
	scene = (struct scene){.choice.selection.slower_than_ns = 100000};
	for (uint64_t i = 0; i < 40000; i++) {
		scene_add(&scene, i * 1000000, i % 2 ? 10000 : 300000 + i);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.slow.count, 20000);
	assert_in_range(scene.asked, TYPICAL_CANDIDATES_MAX, 8 * TYPICAL_CANDIDATES_MAX);
	assert_true(scene.explanation.typical.is_known);
}
