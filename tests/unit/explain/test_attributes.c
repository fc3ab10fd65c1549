/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sets slow units apart. If chance alone says which units are slow, nothing does, whatever the
 * order of time and the bursts in which values come.
 */
#include "explain/scene.h"
#include "explain/values.h"

#include <math.h>

#define DRAWS 100
#define UNITS 4000

/* Gives the unit with this number its values, and returns its start. */
typedef uint64_t shape_fn(struct unit *unit, uint64_t i, uint64_t *seed);

static uint64_t independent(struct unit *unit, uint64_t i, uint64_t *seed)
{
	unit->channel = random_below(seed, 5);
	unit->receiver.cpu = random_below(seed, 2);
	unit->path = random_below(seed, NR_PATHS);
	unit->bytes = 1 + random_below(seed, 4096);
	unit->since_ns = 1 + random_below(seed, 5000000);
	unit->has_migrated = !random_below(seed, 10);
	return i * 100000;
}

/* Channel 1 has bursts of 20 messages at once, channel 2 single ones. */
static uint64_t bursts(struct unit *unit, uint64_t i, uint64_t *seed)
{
	bool is_burst = i % 40 < 20;

	unit->channel = is_burst ? 1 : 2;
	unit->since_ns = is_burst && i % 40 ? 2000 : 1000000;
	unit->receiver.cpu = random_below(seed, 4);
	return is_burst ? i / 40 * 10000000 + i % 40 * 1000
			: i / 40 * 10000000 + (i % 40 - 19) * 400000;
}

/* A value stays for 500 units. */
static uint64_t phases(struct unit *unit, uint64_t i, uint64_t *seed)
{
	unit->receiver.cpu = i / 500 % 4;
	unit->channel = i / 700;
	unit->sender_pid = 100 + i / 1100;
	unit->bytes = 1 << i / 400;
	return i * 20000 + random_below(seed, 15000);
}

/* Five clients in each round, at about the same time, always in the same order. */
static uint64_t rounds(struct unit *unit, uint64_t i, uint64_t *seed)
{
	unit->has_round = true;
	unit->round = i / 5;
	unit->client = unit->place = 1 + i % 5;
	unit->channel = 10 + i % 5;
	unit->receiver.cpu = random_below(seed, 4);
	unit->path = i % 5 ? PATH_SLEPT : PATH_RUNNING;
	return i / 5 * 10000000 + i % 5 * 3000;
}

/* Many channels, most of them rare. */
static uint64_t many_channels(struct unit *unit, uint64_t i, uint64_t *seed)
{
	uint64_t limit = 1 + random_below(seed, 1000);

	unit->channel = random_below(seed, limit);
	unit->sender_pid = 1000 + unit->channel / 3;
	unit->receiver_pid = 7;
	unit->waker = (struct party){.tid = 1000 + unit->channel, .comm = "client"};
	return i * 50000;
}

/* So dense that most slow units overlap. */
static uint64_t dense(struct unit *unit, uint64_t i, uint64_t *seed)
{
	unit->channel = i % 64;
	unit->receiver.cpu = unit->channel % 4;
	unit->sender_pid = 100 + unit->channel % 16;
	return i * 4000 + random_below(seed, 8000);
}

/* Quiet seconds, and peaks in which so many messages are sent that most slow ones overlap. */
static uint64_t load_peaks(struct unit *unit, uint64_t i, uint64_t *seed)
{
	bool is_peak = i % 1000 < 700;

	unit->channel = is_peak && random_below(seed, 3) ? 9 : random_below(seed, 8);
	unit->receiver.cpu = is_peak ? random_below(seed, 4) : 0;
	unit->since_ns = is_peak ? 2000 : 10000000;
	return is_peak ? i / 1000 * 3000000000 + i % 1000 * 2000
		       : i / 1000 * 3000000000 + (i % 1000 - 699) * 9000000;
}

/* Chance says which latencies are long. */
static void draw(struct scene *scene, shape_fn *shape, uint64_t *seed)
{
	scene->cnt = 0;
	for (uint64_t i = 0; i < UNITS; i++) {
		struct unit *unit = scene_add(scene, 0, 0);
		uint64_t latency = 5000 + random_below(seed, 5000);

		if (!random_below(seed, 100))
			latency += 50000 + random_below(seed, 900000);
		unit->from_ns = shape(unit, i, seed);
		unit->to_ns = unit->from_ns + latency;
	}
}

static const struct {
	const char *name;
	shape_fn *shape;
} shapes[] = {
	{"independent", independent}, {"bursts", bursts}, {"phases", phases},    {"rounds", rounds},
	{"many", many_channels},      {"dense", dense},   {"peaks", load_peaks},
};

TEST(chance_sets_nothing_apart)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct scene scene = {.choice.info.mode = MODE_ATTACH};
		uint64_t seed = 11 + i, found = 0;

		for (unsigned int j = 0; j < DRAWS; j++) {
			scene.choice.selection.against = j % 2;
			draw(&scene, shapes[i].shape, &seed);
			scene_explain(&scene);
			found += scene.explanation.attribute_cnt > 0;
			assert_true(scene.explanation.attributes_looked_at > 0);
		}
		if (found > DRAWS / 20)
			fail_msg("%s: %lu of %u draws list an attribute", shapes[i].name,
				 (unsigned long)found, DRAWS);
		scene_free(&scene);
	}
}

static const struct explain_attribute *find(const struct explanation *e, enum attribute attribute,
					    const char *value)
{
	for (uint32_t i = 0; i < e->attribute_cnt; i++) {
		if (e->attribute[i].attribute == attribute && !strcmp(e->attribute[i].value, value))
			return &e->attribute[i];
	}
	return NULL;
}

/* Units of this shape, of which those with a property are slow so much more often. */
static void plant(struct scene *scene, shape_fn *shape, bool (*has)(const struct unit *unit),
		  unsigned int percent_with, unsigned int percent_without)
{
	uint64_t seed = 5;

	scene->cnt = 0;
	for (uint64_t i = 0; i < UNITS; i++) {
		struct unit *unit = scene_add(scene, 0, 0);

		unit->from_ns = shape(unit, i, &seed);
		unit->to_ns = unit->from_ns + 5000 + random_below(&seed, 5000);
		if (random_below(&seed, 1000) < (has(unit) ? percent_with : percent_without) * 10)
			unit->to_ns += 300000;
	}
	scene->choice.selection.slower_than_ns = 100000;
	scene_explain(scene);
}

static bool is_third(const struct unit *unit)
{
	return unit->client == 3;
}

TEST(the_slow_client_comes_first)
{
	const struct explain_attribute *first;

	scene = (struct scene){.choice.info.mode = MODE_RUN};
	plant(&scene, rounds, is_third, 5, 0);
	assert_true(scene.explanation.attribute_cnt >= 3);
	first = scene.explanation.attribute;
	assert_int_equal(first->attribute, ATTRIBUTE_CLIENT);
	assert_string_equal(first->value, "3");
	assert_true(first->slow_share == 1);
	assert_true(first->base_share > 0.15 && first->base_share < 0.25);
	assert_true(first->ratio > 4 && first->ratio < 6.5);
	assert_true(first->ratio_low > 1 && first->ratio_low < first->ratio);
	assert_true(first->ratio_high > first->ratio);
	assert_true(first->p < 1e-6);
	assert_int_equal(first->slow_cnt, scene.explanation.slow.count);
	assert_int_equal(first->episodes, scene.explanation.episodes);
	/* Its channel and place say the same. */
	assert_int_equal(find(&scene.explanation, ATTRIBUTE_CHANNEL, "12")->same_as, 1);
	assert_int_equal(find(&scene.explanation, ATTRIBUTE_PLACE, "3")->same_as, 1);
	assert_int_equal(first->same_as, 0);
}

/* Two thirds of the slow client's units run on CPU 2: CPU and client are not the same. */
static uint64_t rounds_on_cpus(struct unit *unit, uint64_t i, uint64_t *seed)
{
	uint64_t from_ns = rounds(unit, i, seed);

	unit->receiver.cpu = unit->client == 3 && random_below(seed, 3) ? 2 : 1;
	return from_ns;
}

TEST(what_is_alike_in_part_is_not_the_same)
{
	const struct explain_attribute *cpu;

	scene = (struct scene){.choice.info.mode = MODE_RUN};
	plant(&scene, rounds_on_cpus, is_third, 5, 0);
	assert_int_equal(scene.explanation.attribute[0].attribute, ATTRIBUTE_CLIENT);
	cpu = find(&scene.explanation, ATTRIBUTE_CPU, "2");
	assert_non_null(cpu);
	assert_int_equal(cpu->same_as, 0);
}

static bool is_large(const struct unit *unit)
{
	return unit->bytes >= 2048 && unit->bytes < 4096;
}

TEST(the_slow_size_is_named_by_its_limits)
{
	plant(&scene, independent, is_large, 6, 1);
	assert_int_equal(scene.explanation.attribute_cnt, 1);
	assert_int_equal(scene.explanation.attribute[0].attribute, ATTRIBUTE_SIZE);
	assert_string_equal(scene.explanation.attribute[0].value, "2048 to 4092 bytes");
	assert_true(scene.explanation.attribute[0].ratio_low > 1);
}

static bool is_late(const struct unit *unit)
{
	return unit->since_ns >= 3000000;
}

TEST(times_since_the_last_message_have_classes)
{
	plant(&scene, independent, is_late, 6, 1);
	assert_int_equal(scene.explanation.attribute_cnt, 1);
	assert_int_equal(scene.explanation.attribute[0].attribute, ATTRIBUTE_SINCE);
	assert_string_equal(scene.explanation.attribute[0].value, "3ms to 10ms");
}

/* One event hits 300 messages of one channel: that is one observation. */
TEST(one_event_is_one_observation)
{
	uint64_t seed = 9;

	scene = (struct scene){.choice.selection.slower_than_ns = 100000};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_hit = i >= 1000 && i < 1300;
		struct unit *unit = scene_add(&scene, i * 10000, is_hit ? 500000 : 5000 + i % 100);

		unit->channel = is_hit ? 7 : random_below(&seed, 2) ? 7 : 8;
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.slow.count, 300);
	assert_int_equal(scene.explanation.episodes, 1);
	assert_int_equal(scene.explanation.attribute_cnt, 0);
}

/* With one tenth of the units of each event on channel 7, it is not set apart. */
TEST(a_part_of_an_event_counts_as_a_part)
{
	scene = (struct scene){.choice.selection.slower_than_ns = 100000};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_hit = i % 100 < 10;
		struct unit *unit = scene_add(&scene, i * 10000, is_hit ? 200000 : 5000 + i % 97);

		unit->channel = i % 10 == 3 ? 7 : 8;
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.episodes, UNITS / 100);
	assert_int_equal(scene.explanation.attribute_cnt, 0);
}

TEST(a_value_that_all_have_is_not_looked_at)
{
	for (uint64_t i = 0; i < UNITS; i++)
		scene_add(&scene, i * 100000, i % 50 ? 5000 + i % 97 : 90000 + i);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.slow.count, UNITS / 100);
	assert_int_equal(scene.explanation.attributes_looked_at, 0);
	assert_int_equal(scene.explanation.attribute_cnt, 0);
}

TEST(what_no_other_unit_has_has_no_upper_limit)
{
	const struct explain_attribute *first;

	for (uint64_t i = 0; i < UNITS; i++) {
		scene_add(&scene, i * 100000, i % 100 ? 5000 + i % 97 : 90000 + i);
		scene.unit[i].has_migrated = i % 100 == 0;
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.attribute_cnt, 1);
	first = scene.explanation.attribute;
	assert_int_equal(first->attribute, ATTRIBUTE_MIGRATION);
	assert_true(isinf(first->ratio) && isinf(first->ratio_high));
	assert_true(first->ratio_low > 10);
	assert_int_equal(first->base_cnt, 0);
}

TEST(processes_and_wakers_have_names)
{
	const struct explanation *e = &scene.explanation;

	scene = (struct scene){.choice.info.mode = MODE_ATTACH};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_slow = i % 100 == 0;
		struct unit *unit =
			scene_add(&scene, i * 100000, is_slow ? 90000 + i : 5000 + i % 97);

		unit->sender_pid = is_slow ? 500 : 501;
		snprintf(unit->sender_process, sizeof(unit->sender_process), "client");
		unit->waker = (struct party){.tid = is_slow || i % 3 == 0 ? 77 : 78, .comm = "hog"};
		unit->from_interrupt = i % 5 == 0 && is_slow;
	}
	scene_explain(&scene);
	assert_non_null(find(e, ATTRIBUTE_CLIENT, "client (pid 500)"));
	assert_non_null(find(e, ATTRIBUTE_WAKER, "an interrupt"));
}

/* Numbers of processes, threads and channels say nothing about another recording. */
TEST(another_recording_is_compared_by_names)
{
	struct scene scene = {.choice = {.info.mode = MODE_ATTACH,
					 .selection.against = AGAINST_FILE,
					 .against_file = "before"}};
	struct scene others = {0};

	for (uint64_t i = 0; i < 2 * UNITS; i++) {
		bool is_other = i >= UNITS;
		struct unit *unit = scene_add(is_other ? &others : &scene, i * 100000,
					      i % 100 ? 5000 + i % 97 : 90000 + i);

		unit->channel = unit->sender_pid = is_other ? 500 : 600;
		unit->receiver_pid = is_other ? 501 : 601;
		unit->waker = (struct party){.tid = is_other ? 500 : 600, .comm = "client"};
		snprintf(unit->sender_process, sizeof(unit->sender_process), "client");
		snprintf(unit->receiver_process, sizeof(unit->receiver_process), "%s",
			 is_other ? "old" : "new");
	}
	scene_explain_against(&scene, &others);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_DONE);
	assert_int_equal(scene.explanation.attribute_cnt, 1);
	assert_non_null(find(&scene.explanation, ATTRIBUTE_PEER, "new"));
	scene_free(&scene);
	scene_free(&others);
}

TEST(more_values_than_there_is_room_for_are_left_out)
{
	for (uint64_t i = 0; i < VALUES_MAX + 20000ULL; i++) {
		scene_add(&scene, i * 100000, i % 100 ? 5000 + i % 97 : 90000 + i);
		scene.unit[i].channel = i;
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_DONE);
	assert_int_equal(scene.explanation.attribute_cnt, 0);
}
