/* SPDX-License-Identifier: BSD-2-Clause */
/* What ran on which CPU instead of slow units, and when. */
#include "explain/scene.h"

#include "picture/parts.h"

#include <linux/sched.h>

/* 240 columns of 100 ns each. */
static struct picture begin(void)
{
	const struct extent extent = {10, 0, 240 * 100 - 1, 10, 100000};
	struct picture picture = {0};

	assert_int_equal(heat_begin(&picture.heat, &extent, UINT64_MAX), 0);
	return picture;
}

static void show(struct scene *scene, struct picture *picture)
{
	struct strips *strips = strips__new();

	assert_non_null(strips);
	for (size_t i = 0; i < scene->cnt; i++) {
		scene->unit[i].cause = scene->cause[i];
		assert_int_equal(strips__add(strips, &picture->heat, &scene->unit[i]), 0);
	}
	assert_int_equal(strips__finish(strips, picture), 0);
	strips__free(strips);
}

static void wait_at(struct scene *scene, uint64_t from_ns, uint32_t cpu, const char *comm,
		    uint64_t ns)
{
	struct cause *cause = scene_wait(scene, 7, comm, ns);

	cause->from_ns = from_ns;
	cause->by.cpu = cpu;
}

/* A wait over several columns counts in each of them, and its parts add up to it. */
TEST(long_waits_cover_their_columns)
{
	struct picture picture = begin();
	const struct strip_cell *cell;

	scene_add(&scene, 150, 400);
	wait_at(&scene, 150, 3, "hog", 275);
	show(&scene, &picture);
	assert_int_equal(picture.strip_cnt, 1);
	assert_int_equal(picture.strip[0].cpu, 3);
	assert_int_equal(picture.strip[0].ns, 275);
	cell = picture.strip[0].cell;
	assert_int_equal(cell[0].all_ns, 0);
	assert_int_equal(cell[0].culprit, 0);
	assert_int_equal(cell[1].ns, 50);
	assert_int_equal(cell[2].ns, 100);
	assert_int_equal(cell[3].ns, 100);
	assert_int_equal(cell[4].ns, 25);
	assert_int_equal(cell[5].all_ns, 0);
	assert_int_equal(picture.culprit_cnt, 1);
	assert_string_equal(picture.culprit[0].by.comm, "hog");
	picture_clean(&picture);
}

/* A wait that lasts longer than the recording ends in the last column. */
TEST(waits_end_in_the_last_column)
{
	struct picture picture = begin();

	scene_add(&scene, 23950, 9000);
	wait_at(&scene, 23950, 0, "hog", 9000);
	show(&scene, &picture);
	assert_int_equal(picture.strip[0].cell[239].ns, 9000);
	picture_clean(&picture);
}

/* A cell shows what ran longest in it; culprits with most time in all come first. */
TEST(the_longest_culprit_is_shown)
{
	struct picture picture = begin();

	scene_add(&scene, 0, 1000);
	wait_at(&scene, 0, 1, "alpha", 20);
	wait_at(&scene, 30, 1, "beta", 40);
	wait_at(&scene, 100, 1, "alpha", 90);
	wait_at(&scene, 0, 0, "beta", 10);
	show(&scene, &picture);
	assert_int_equal(picture.culprit_cnt, 2);
	assert_string_equal(picture.culprit[0].by.comm, "alpha");
	assert_int_equal(picture.culprit[0].ns, 110);
	assert_int_equal(picture.strip_cnt, 2);
	assert_int_equal(picture.strip[0].cpu, 0);
	assert_int_equal(picture.strip[1].cpu, 1);
	assert_int_equal(picture.strip[1].cell[0].culprit, 2);
	assert_int_equal(picture.strip[1].cell[0].ns, 40);
	assert_int_equal(picture.strip[1].cell[0].all_ns, 60);
	assert_int_equal(picture.strip[1].cell[1].culprit, 1);
	picture_clean(&picture);
}

/*
 * The legend has an entry for each: priorities, and whether it sent, would be several of one name.
 */
TEST(a_name_is_one_culprit)
{
	static const struct culprit_priority priority[] = {
		{SCHED_NORMAL, 120, 30}, {SCHED_RR, 49, 50}, {SCHED_IDLE, 120, 20}};
	struct picture picture = begin();

	scene_add(&scene, 0, 1000);
	for (uint32_t i = 0; i < ARRAY_SIZE(priority); i++) {
		wait_at(&scene, i * 100, 1, "hog", priority[i].ns);
		scene.cause[0][i].by.policy = priority[i].policy;
		scene.cause[0][i].by.priority = priority[i].priority;
		scene.cause[0][i].by.tid = 7 + i;
	}
	scene.cause[0][2].by.class = BLAME_SERVER;
	show(&scene, &picture);
	assert_int_equal(picture.culprit_cnt, 1);
	assert_int_equal(picture.culprit[0].ns, 100);
	assert_int_equal(picture.culprit[0].priority_cnt, 3);
	assert_int_equal(picture.culprit[0].priority[0].policy, SCHED_RR);
	assert_int_equal(picture.culprit[0].priority[0].ns, 50);
	assert_int_equal(picture.culprit[0].priority[2].policy, SCHED_IDLE);
	picture_clean(&picture);
}

/* Followed causes, causes without a CPU and those that ran nothing are left out. */
TEST(only_what_ran_counts)
{
	struct picture picture = begin();

	scene_add(&scene, 0, 1000);
	wait_at(&scene, 0, 1, "alpha", 20);
	scene.cause[0][0].parent = 1;
	wait_at(&scene, 0, BLAME_CPU_UNKNOWN, "alpha", 20);
	wait_at(&scene, 0, BLAME_CPU_SEVERAL, "alpha", 20);
	scene_cause(&scene, COMPONENT_RECEIVE, CAUSE_ITSELF, 500);
	scene_cause(&scene, COMPONENT_BLOCKED, CAUSE_WOKE, 100);
	show(&scene, &picture);
	assert_int_equal(picture.strip_cnt, 0);
	assert_int_equal(picture.culprit_cnt, 0);
	picture_clean(&picture);
}

/* The CPUs with most time are listed, and the others are counted. */
TEST(further_cpus_are_counted)
{
	struct picture picture = begin();

	for (uint32_t cpu = 0; cpu < PICTURE_CPUS_MAX + 4; cpu++) {
		scene_add(&scene, 0, 1000);
		wait_at(&scene, 0, cpu, "hog", 10 + cpu);
	}
	show(&scene, &picture);
	assert_int_equal(picture.strip_cnt, PICTURE_CPUS_MAX);
	assert_int_equal(picture.cpus_more, 4);
	assert_int_equal(picture.strip[0].cpu, 4);
	picture_clean(&picture);
}

/* The same for culprits; cells of those that are not listed have their time, and no name. */
TEST(further_culprits_are_counted)
{
	struct picture picture = begin();
	char comm[RECORD_COMM_LEN];

	for (int i = 0; i < PICTURE_CULPRITS_MAX + 3; i++) {
		snprintf(comm, sizeof(comm), "hog-%d", i);
		scene_add(&scene, 0, 1000);
		wait_at(&scene, i * 100, 0, comm, 90 - i);
	}
	show(&scene, &picture);
	assert_int_equal(picture.culprit_cnt, PICTURE_CULPRITS_MAX);
	assert_int_equal(picture.culprits_more, 3);
	assert_int_equal(picture.strip[0].cell[0].culprit, 1);
	assert_int_equal(picture.strip[0].cell[PICTURE_CULPRITS_MAX + 1].culprit, 0);
	assert_true(picture.strip[0].cell[PICTURE_CULPRITS_MAX + 1].all_ns > 0);
	picture_clean(&picture);
}
