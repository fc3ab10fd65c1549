/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of slow units, what they cost, and when they come. */
#include "explain/scene.h"

#define MS 1000000ULL

static const struct explain_episode *episodes_of(struct scene *scene)
{
	scene->choice.selection.slower_than_ns = 100000;
	scene_explain(scene);
	assert_int_equal(scene->explanation.outcome, EXPLAIN_DONE);
	return scene->explanation.episode;
}

static void add_fast(struct scene *scene, uint64_t from_ns, unsigned int cnt)
{
	for (unsigned int i = 0; i < cnt; i++) {
		scene_add(scene, from_ns + i * 1000, 10000);
		scene_wait(scene, 1, "usual", 4000);
		scene_receive_rest(scene);
	}
}

static void add_slow(struct scene *scene, uint64_t from_ns, uint64_t latency_ns)
{
	scene_add(scene, from_ns, latency_ns);
	scene_wait(scene, 77, "hog", latency_ns - 20000)->by.cpu = 3;
	scene_wait(scene, 1, "usual", 4000);
	scene_receive_rest(scene);
}

TEST(units_that_overlap_are_one_event)
{
	const struct explain_episode *episode;

	add_fast(&scene, 0, 100);
	add_slow(&scene, 10 * MS, 200000);
	add_slow(&scene, 10 * MS + 100000, 300000);
	add_slow(&scene, 10 * MS + 400000, 150000); /* touches */
	add_slow(&scene, 20 * MS, 500000);
	episode = episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 2);
	assert_int_equal(scene.explanation.episode_cnt, 2);
	assert_int_equal(episode[0].units, 3);
	assert_int_equal(episode[0].from_ns, 10 * MS);
	assert_int_equal(episode[0].to_ns, 10 * MS + 550000);
	assert_int_equal(episode[0].worst_ns, 300000);
	assert_int_equal(episode[0].worst_at_ns, 10 * MS + 100000);
	assert_int_equal(episode[0].excess_ns, 650000 - 3 * 10000);
	assert_int_equal(episode[0].rounds, 0);
	assert_int_equal(episode[1].excess_ns, 490000);
}

TEST(the_culprit_is_that_of_the_excess)
{
	const struct explain_episode *episode;

	add_fast(&scene, 0, 100);
	add_slow(&scene, 10 * MS, 300000);
	episode = episodes_of(&scene);
	assert_int_equal(episode[0].cost, COMPONENT_RUNQUEUE);
	assert_int_equal(episode[0].role, CAUSE_RAN);
	assert_string_equal(episode[0].by.comm, "hog");
	assert_int_equal(episode[0].by.tid, 77);
	assert_int_equal(episode[0].cpu, 3);
}

/* "usual" takes most of the time, but no more than elsewhere. */
TEST(what_is_usual_is_no_culprit)
{
	const struct explain_episode *episode;

	for (uint64_t i = 0; i < 100; i++) {
		bool is_slow = i == 50;

		scene_add(&scene, i * MS, is_slow ? 130000 : 90000);
		scene_wait(&scene, 1, "usual", 80000);
		if (is_slow)
			scene_wait(&scene, 77, "hog", 40000);
		scene_receive_rest(&scene);
	}
	episode = episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 1);
	assert_string_equal(episode[0].by.comm, "hog");
}

TEST(rounds_are_counted_once)
{
	const struct explain_episode *episode;

	add_fast(&scene, 0, 100);
	for (uint64_t i = 0; i < 12; i++) {
		add_slow(&scene, 10 * MS + i * 1000, 300000);
		scene.unit[scene.cnt - 1].has_round = i < 11;
		scene.unit[scene.cnt - 1].round = i / 5;
		scene.unit[scene.cnt - 1].place = 1;
	}
	episode = episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 1);
	assert_int_equal(episode[0].units, 12);
	assert_int_equal(episode[0].rounds, 3);
}

TEST(numbers_without_rounds_are_no_rounds)
{
	add_fast(&scene, 0, 100);
	add_slow(&scene, 10 * MS, 300000);
	scene.unit[scene.cnt - 1].has_round = true;
	assert_int_equal(episodes_of(&scene)[0].rounds, 0);
}

TEST(units_that_arrive_late_belong_to_their_event)
{
	add_fast(&scene, 0, 100);
	add_slow(&scene, 10 * MS, 300000);
	add_slow(&scene, 30 * MS, 300000);
	add_slow(&scene, 10 * MS + 100000, 300000);
	episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 2);
}

TEST(all_are_counted_and_the_largest_are_listed)
{
	const struct explain_episode *episode;
	uint64_t seed = 6, largest = 0;

	add_fast(&scene, 0, 8000);
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t latency_ns = 110000 + random_below(&seed, 800000);

		add_slow(&scene, (20 + i) * MS, latency_ns);
		largest = latency_ns > largest ? latency_ns : largest;
	}
	episode = episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 5000);
	assert_int_equal(scene.explanation.episode_cnt, EXPLAIN_EPISODES_MAX);
	assert_int_equal(episode[0].worst_ns, largest);
	for (uint32_t i = 1; i < EXPLAIN_EPISODES_MAX; i++)
		assert_true(episode[i].excess_ns <= episode[i - 1].excess_ns);
	assert_true(episode[EXPLAIN_EPISODES_MAX - 1].worst_ns > 890000);
}

TEST(regular_events_have_a_period)
{
	add_fast(&scene, 0, 1000);
	for (uint64_t i = 0; i < 9; i++)
		add_slow(&scene, (1000 + i * 1000) * MS, 300000);
	episodes_of(&scene);
	assert_int_equal(scene.explanation.period_ns, 1000 * MS);
	assert_int_equal(scene.explanation.period_hits, 8);
	assert_int_equal(scene.explanation.period_of, 8);
}

/* The large ones are regular, and many small ones lie between them. */
TEST(small_events_do_not_hide_a_period)
{
	uint64_t seed = 8;

	add_fast(&scene, 0, 1000);
	for (uint64_t i = 0; i < 70; i++) {
		add_slow(&scene, (1000 + i * 1000) * MS, 3000000);
		for (unsigned int j = 0; j < 3; j++)
			add_slow(&scene,
				 (1010 + i * 1000 + j * 300 + random_below(&seed, 290)) * MS,
				 150000);
	}
	episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 280);
	assert_in_range(scene.explanation.period_ns, 999 * MS, 1001 * MS);
	assert_int_equal(scene.explanation.period_of, EXPLAIN_EPISODES_MAX - 1);
}

/* Slow rounds come when rounds come. */
TEST(rounds_that_follow_each_other_are_no_period)
{
	scene = (struct scene){.choice.kind = UNIT_ROUND};
	for (uint64_t i = 0; i < 1000; i++) {
		if (i % 100 < 5)
			add_slow(&scene, i * 20 * MS, 300000);
		else
			add_fast(&scene, i * 20 * MS, 1);
		scene.unit[i].kind = UNIT_ROUND;
	}
	episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 50);
	assert_int_equal(scene.explanation.period_ns, 0);
}

/* So does every third message of a conversation. */
TEST(messages_that_follow_each_other_are_no_period)
{
	for (uint64_t i = 0; i < 1000; i++) {
		if (i % 100 < 30 && i % 3 == 0)
			add_slow(&scene, i * 20 * MS, 300000);
		else
			add_fast(&scene, i * 20 * MS, 1);
	}
	episodes_of(&scene);
	assert_int_equal(scene.explanation.episodes, 100);
	assert_int_equal(scene.explanation.period_ns, 0);
}

/* Events of a hog every 300 ms, between others at random which are as large. */
TEST(a_culprit_may_have_a_period_of_its_own)
{
	const struct explanation *e = &scene.explanation;
	uint64_t seed = 8;

	add_fast(&scene, 0, 1000);
	for (uint64_t i = 0; i < 12; i++) {
		add_slow(&scene, (1000 + i * 300) * MS, 300000);
		for (unsigned int j = 0; j < 2; j++) {
			scene_add(&scene, (1010 + i * 300 + random_below(&seed, 280)) * MS, 310000);
			scene_wait(&scene, 5, "other", 290000);
			scene_receive_rest(&scene);
		}
	}
	episodes_of(&scene);
	assert_int_equal(e->period_ns, 300 * MS);
	assert_int_equal(e->period_of, 11);
	assert_in_range(e->period_episode, 1, e->episode_cnt);
	assert_string_equal(e->episode[e->period_episode - 1].by.comm, "hog");
}
