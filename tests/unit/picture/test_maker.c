/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture as a whole: its parts agree about how many units there are. */
#include "explain/scene.h"

#include "picture/maker.h"

static const struct run_info push = {
	.mode = MODE_RUN,
	.workload = {.clients = 20, .messages = 1000, .pattern = "push"},
};

static struct picture *picture_of(struct scene *scene, enum unit_kind kind, uint64_t slow_above_ns)
{
	struct picture_maker *maker = picture__new(&push, kind);
	struct picture *picture = calloc(1, sizeof(*picture));

	assert_non_null(maker);
	assert_non_null(picture);
	for (size_t i = 0; i < scene->cnt; i++)
		picture__rank(maker, &scene->unit[i]);
	assert_int_equal(picture__choose(maker, slow_above_ns), 0);
	for (size_t i = 0; i < scene->cnt; i++) {
		scene->unit[i].cause = scene->cause[i];
		assert_true(picture__add(maker, &scene->unit[i], NULL, 1) >= 0);
	}
	assert_int_equal(picture__finish(maker, picture), 0);
	picture__free(maker);
	return picture;
}

static void free_picture(struct picture *picture)
{
	picture_clean(picture);
	free(picture);
}

TEST(nothing_makes_an_empty_picture)
{
	struct scene scene = {0};
	struct picture *picture = picture_of(&scene, UNIT_MESSAGE, UINT64_MAX);

	assert_int_equal(picture->units, 0);
	assert_int_equal(picture->heat.columns, 0);
	assert_int_equal(picture->curve.point_cnt, 0);
	assert_int_equal(picture->slowest_cnt, 0);
	free_picture(picture);
}

/* Heat map, bands and latency count the same units. */
TEST(parts_agree)
{
	struct picture *picture;
	uint64_t seed = 1, heat = 0, bands = 0;

	for (int i = 0; i < 3000; i++) {
		scene_add(&scene, i * 1000, 5000 + random_below(&seed, 90000));
		scene_wait(&scene, 7, "hog", 3000);
		scene_receive_rest(&scene);
	}
	picture = picture_of(&scene, UNIT_MESSAGE, 90000);
	for (uint32_t i = 0; i < picture->heat.rows * picture->heat.columns; i++)
		heat += picture->heat.cnt[i];
	for (int i = 0; i < NR_BANDS; i++)
		bands += picture->band[i].known;
	assert_int_equal(picture->units, 3000);
	assert_int_equal(picture->latency.count, 3000);
	assert_int_equal(picture->curve.units, 3000);
	assert_int_equal(heat, 3000);
	assert_int_equal(bands, 3000);
	assert_int_equal(picture->slowest_cnt, PICTURE_SLOWEST_MAX);
	assert_int_equal(picture->culprit_cnt, 1);
	free_picture(picture);
}

/* A server that no longer answers leaves time without units. */
TEST(the_heat_map_reaches_to_the_end_of_tracing)
{
	struct picture_maker *maker = picture__new(&push, UNIT_MESSAGE);
	struct picture *picture = calloc(1, sizeof(*picture));
	const struct unit unit = {.from_ns = 1000, .to_ns = 3000};

	picture__rank(maker, &unit);
	picture__traced_until(maker, 500);
	picture__traced_until(maker, 240999);
	assert_int_equal(picture__choose(maker, UINT64_MAX), 0);
	assert_true(picture__add(maker, &unit, NULL, 1) >= 0);
	assert_int_equal(picture__finish(maker, picture), 0);
	assert_int_equal(picture->heat.from_ns, 1000);
	assert_int_equal(picture->heat.to_ns, 240999);
	assert_int_equal(picture->heat.columns, 240);
	assert_int_equal(picture->heat.cnt[0], 1);
	picture__free(maker);
	free_picture(picture);
}

/* A run does not record its end: the last wait has to lie where it was, not in the last column. */
TEST(what_the_last_unit_waited_for_lies_on_the_axis)
{
	struct picture *picture;
	uint64_t most_ns = 0, all_ns = 0;

	scene_add(&scene, 0, 500);
	scene_receive_rest(&scene);
	scene_add(&scene, 1000, 239000);
	scene_wait(&scene, 7, "hog", 239000);
	picture = picture_of(&scene, UNIT_MESSAGE, 1000);
	assert_int_equal(picture->heat.to_ns, 240000);
	assert_int_equal(picture->heat.columns, 240);
	for (uint32_t i = 0; i < picture->heat.columns; i++) {
		uint64_t ns = picture->strip[0].cell[i].ns;

		most_ns = ns > most_ns ? ns : most_ns;
		all_ns += ns;
	}
	assert_int_equal(all_ns, 239000);
	assert_in_range(most_ns, 1, 240000 / 240 + 1);
	free_picture(picture);
}

/* Only slow units show what ran instead. */
TEST(strips_are_of_slow_units)
{
	struct picture *picture;

	for (int i = 0; i < 100; i++) {
		scene_add(&scene, i * 1000, i == 50 ? 9000 : 1000);
		scene_wait(&scene, 7, "hog", 500);
		scene_receive_rest(&scene);
	}
	picture = picture_of(&scene, UNIT_MESSAGE, 1000);
	assert_int_equal(picture->culprit[0].ns, 500);
	free_picture(picture);
	picture = picture_of(&scene, UNIT_MESSAGE, UINT64_MAX);
	assert_int_equal(picture->culprit_cnt, 0);
	free_picture(picture);
}

/* A picture of a run of `messages` for each of 20 clients, of which some have their messages. */
static struct picture *series_of(uint64_t messages, uint64_t numbers)
{
	struct run_info info = push;
	struct picture_maker *maker;
	struct picture *picture = calloc(1, sizeof(*picture));

	info.workload.messages = messages;
	maker = picture__new(&info, UNIT_ROUND);
	assert_int_equal(picture__choose(maker, UINT64_MAX), 0);
	for (uint64_t i = 0; i < messages; i++) {
		struct message message = {.client = 3,
					  .has_round = true,
					  .round = i % numbers,
					  .latency_ns = 100 + i};

		picture__add_message(maker, &message);
		message.client = 19;
		picture__add_message(maker, &message);
		message.client = 4;
		message.has_round = false;
		picture__add_message(maker, &message);
	}
	assert_int_equal(picture__finish(maker, picture), 0);
	picture__free(maker);
	return picture;
}

/* Clients beyond the limit are counted. */
TEST(series_hold_all_messages)
{
	struct picture *picture = series_of(50, 50);

	assert_int_equal(picture->series_cnt, PICTURE_CLIENTS_MAX);
	assert_int_equal(picture->clients_more, 4);
	assert_int_equal(picture->series[3].point_cnt, 0);
	assert_int_equal(picture->series[2].point_cnt, 50);
	for (uint32_t i = 0; i < 50; i++) {
		assert_int_equal(picture->series[2].point[i].number, i);
		assert_int_equal(picture->series[2].point[i].latency_ns, 100 + i);
	}
	free_picture(picture);
}

/* Nor has one where a number is that of several messages. */
TEST(a_long_run_has_no_series)
{
	struct picture *picture = series_of(SERIES_POINTS_MAX / PICTURE_CLIENTS_MAX + 1, 50);

	assert_int_equal(picture->series_cnt, 0);
	free_picture(picture);
	picture = series_of(50, 49);
	assert_int_equal(picture->series_cnt, 0);
	free_picture(picture);
}

/* The other recording has percentiles, and no bands. */
TEST(others_have_a_curve)
{
	struct picture_maker *maker = picture__new(&push, UNIT_MESSAGE);
	struct picture *picture = calloc(1, sizeof(*picture));
	const struct unit other = {.from_ns = 5, .to_ns = 505};

	assert_int_equal(picture__choose(maker, UINT64_MAX), 0);
	for (int i = 0; i < 40; i++)
		picture__add_other(maker, &other, "before.ipct");
	assert_int_equal(picture__finish(maker, picture), 0);
	assert_string_equal(picture->against_name, "before.ipct");
	assert_int_equal(picture->against.units, 40);
	assert_int_equal(picture->against.point[0].ns, 500);
	assert_int_equal(picture->against.point[0].low_ns, 0);
	assert_int_equal(picture->against.point[0].high_ns, 0);
	picture__free(maker);
	free_picture(picture);
}
