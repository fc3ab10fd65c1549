/* SPDX-License-Identifier: BSD-2-Clause */
/* Which band a unit belongs to, and what the units of a band consist of. */
#include "explain/scene.h"

#include "picture/parts.h"

/* Latencies 1 to 1000 us, each once. */
static void thousand(struct stat *latency)
{
	for (uint64_t i = 1; i <= 1000; i++)
		stat_add(latency, i * 1000);
}

static double parts_of(const struct band *band)
{
	double sum = 0;

	for (int part = 0; part < NR_CAUSE_PARTS; part++) {
		for (int cost = 0; cost < NR_COSTS; cost++)
			sum += band->part_ns[part][cost];
	}
	return sum;
}

/* Bands have the wanted shares of all units, and meet without a gap. */
TEST(bands_have_their_shares)
{
	static const uint64_t share[NR_BANDS] = {500, 400, 90, 9, 1};
	struct stat latency = {0};
	struct bands bands = {0};
	struct band band[NR_BANDS];
	uint64_t units = 0, above_ns = 0;

	thousand(&latency);
	bands_begin(&bands, &latency);
	for (uint64_t i = 1000; i; i--) {
		struct unit unit = {.from_ns = i, .to_ns = i + i * 1000};
		uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RECEIVE] = i * 1000};

		bands_add(&bands, &unit, component_ns, 0);
	}
	bands_fill(&bands, band);
	for (int i = 0; i < NR_BANDS; i++) {
		assert_int_equal(band[i].above_ns, above_ns);
		assert_true(band[i].up_to_ns > above_ns);
		assert_in_range(band[i].units, share[i] - (i < 3), share[i] + (i < 3));
		assert_int_equal(band[i].known, band[i].units);
		assert_true(band[i].mean_ns == band[i].part_ns[PART_WHOLE][COMPONENT_RECEIVE]);
		units += band[i].units;
		above_ns = band[i].up_to_ns;
	}
	assert_int_equal(units, 1000);
	assert_true(band[4].mean_ns == 1000000);
	stat_free(&latency);
}

/* If all latencies are equal, all units are in the first band. */
TEST(equal_latencies_have_one_band)
{
	struct stat latency = {0};
	struct bands bands = {0};
	struct band band[NR_BANDS];
	struct unit unit = {.to_ns = 500};

	for (int i = 0; i < 100; i++)
		stat_add(&latency, 500);
	bands_begin(&bands, &latency);
	for (int i = 0; i < 100; i++)
		bands_add(&bands, &unit, NULL, 1);
	bands_fill(&bands, band);
	assert_int_equal(band[0].units, 100);
	assert_int_equal(band[0].known, 0);
	for (int i = 1; i < NR_BANDS; i++)
		assert_int_equal(band[i].units, 0);
	stat_free(&latency);
}

/* Causes that are followed are part of another one; what does not add up is not known. */
TEST(causes_count_if_they_add_up)
{
	struct stat latency = {0};
	struct bands bands = {0};
	struct band band[NR_BANDS];
	struct cause *followed;

	scene_add(&scene, 0, 1000);
	scene_wait(&scene, 7, "hog", 600);
	followed = scene_cause(&scene, COST_ON_CPU, CAUSE_ITSELF, 600);
	followed->parent = 1;
	scene_cause(&scene, COMPONENT_RECEIVE, CAUSE_ITSELF, 400)->part = PART_RESPONSE;
	scene_add(&scene, 0, 1000);
	scene_wait(&scene, 7, "hog", 600);
	scene_add(&scene, 0, 1000);
	for (int i = 0; i < 3; i++)
		stat_add(&latency, 1000);
	bands_begin(&bands, &latency);
	for (int i = 0; i < 3; i++) {
		scene.unit[i].cause = scene.cause[i];
		bands_add(&bands, &scene.unit[i], NULL, 1);
	}
	bands_fill(&bands, band);
	assert_int_equal(band[0].units, 3);
	assert_int_equal(band[0].known, 1);
	assert_true(band[0].part_ns[PART_WHOLE][COMPONENT_RUNQUEUE] == 600);
	assert_true(band[0].part_ns[PART_RESPONSE][COMPONENT_RECEIVE] == 400);
	assert_true(parts_of(&band[0]) == 1000);
	stat_free(&latency);
}

/* A unit of a sample stands for others; one outside of it does not count. */
TEST(samples_weigh)
{
	struct stat latency = {0};
	struct bands bands = {0};
	struct band band[NR_BANDS];
	static const uint64_t weight[] = {1, 3, 0};

	for (int i = 0; i < 3; i++) {
		scene_add(&scene, 0, 1000);
		scene_wait(&scene, 7, "hog", i * 400);
		scene_receive_rest(&scene);
		stat_add(&latency, 1000);
	}
	bands_begin(&bands, &latency);
	for (int i = 0; i < 3; i++) {
		scene.unit[i].cause = scene.cause[i];
		bands_add(&bands, &scene.unit[i], NULL, weight[i]);
	}
	bands_fill(&bands, band);
	assert_int_equal(band[0].units, 3);
	assert_int_equal(band[0].known, 2);
	assert_true(band[0].part_ns[PART_WHOLE][COMPONENT_RUNQUEUE] == 300);
	assert_true(band[0].mean_ns == 1000);
	stat_free(&latency);
}
