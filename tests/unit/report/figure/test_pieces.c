/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of a bar: components in the order of time, the run queue by culprit. */
#include "support/build.h"
#include "support/pictured.h"

#include "report/figure/culprit.h"
#include "report/figure/pieces.h"

#include <stdlib.h>
#include <string.h>

static void add(struct unit *unit, enum cause_part part, enum component cost, const char *by,
		uint64_t ns)
{
	struct cause cause = {.part = part, .cost = cost, .by = {.ns = ns}};

	if (by) {
		cause.role = CAUSE_RAN;
		cause.by.class = BLAME_TASK;
		snprintf(cause.by.comm, sizeof(cause.by.comm), "%s", by);
	}
	unit->to_ns += ns;
	pictured_add_cause(unit, cause);
}

static uint64_t pieces_ns(const struct piece *piece, uint32_t cnt)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cnt; i++)
		sum += piece[i].by.ns;
	return sum;
}

TEST(equal_causes_are_one_piece)
{
	struct piece piece[PIECES_MAX];
	struct unit unit = {0};

	add(&unit, PART_WHOLE, COMPONENT_SEND_PATH, NULL, 10);
	add(&unit, PART_WHOLE, COMPONENT_RUNQUEUE, "hog", 20);
	add(&unit, PART_WHOLE, COMPONENT_RECEIVE, NULL, 5);
	add(&unit, PART_WHOLE, COMPONENT_RUNQUEUE, "hog", 7);
	assert_int_equal(pieces_of(&unit, piece), 3);
	assert_int_equal(piece[0].by.ns, 10);
	assert_int_equal(piece[1].by.ns, 27);
	assert_string_equal(piece[1].by.comm, "hog");
	assert_int_equal(piece[2].cost, COMPONENT_RECEIVE);
	free((void *)unit.cause);
}

/* Those of one run queue stand side by side, the largest first. */
TEST(the_run_queue_is_cut_by_culprit)
{
	struct piece piece[PIECES_MAX];
	struct unit unit = {0};

	add(&unit, PART_WHOLE, COMPONENT_RUNQUEUE, "small", 3);
	add(&unit, PART_WHOLE, COMPONENT_RECEIVE, NULL, 5);
	add(&unit, PART_WHOLE, COMPONENT_RUNQUEUE, "large", 40);
	add(&unit, PART_WHOLE, COMPONENT_RUNQUEUE, NULL, 2);
	assert_int_equal(pieces_of(&unit, piece), 4);
	assert_string_equal(piece[0].by.comm, "large");
	assert_string_equal(piece[1].by.comm, "small");
	assert_int_equal(piece[2].role, CAUSE_ITSELF);
	assert_int_equal(piece[2].cost, COMPONENT_RUNQUEUE);
	assert_int_equal(piece[3].cost, COMPONENT_RECEIVE);
	free((void *)unit.cause);
}

TEST(what_follows_a_cause_is_no_part)
{
	struct piece piece[PIECES_MAX];
	struct unit unit = {0};
	struct cause followed = {.cost = COMPONENT_BLOCKED, .parent = 1, .by = {.ns = 99}};

	add(&unit, PART_WHOLE, COMPONENT_RUNQUEUE, "hog", 20);
	pictured_add_cause(&unit, followed);
	assert_int_equal(pieces_of(&unit, piece), 1);
	assert_int_equal(pieces_ns(piece, 1), 20);
	free((void *)unit.cause);
}

TEST(parts_of_calls_stay_apart)
{
	struct piece piece[PIECES_MAX];
	struct unit unit = {0};

	add(&unit, PART_REQUEST, COMPONENT_RUNQUEUE, "hog", 20);
	add(&unit, PART_SERVICE, COST_ON_CPU, NULL, 30);
	add(&unit, PART_RESPONSE, COMPONENT_RUNQUEUE, "hog", 10);
	assert_int_equal(pieces_of(&unit, piece), 3);
	assert_int_equal(piece[2].part, PART_RESPONSE);
	free((void *)unit.cause);
}

/* As many causes as a unit can have: the sum stays that of the latency. */
TEST(culprits_without_room_are_one_piece)
{
	struct piece piece[PIECES_MAX];
	struct unit unit = {0};
	bool has_rest = false;
	uint32_t cnt;

	for (int i = 0; i < CAUSES_MAX; i++) {
		char name[RECORD_COMM_LEN];

		snprintf(name, sizeof(name), "thread %d", i);
		add(&unit, i % NR_CAUSE_PARTS,
		    i % 5 ? COMPONENT_RUNQUEUE : (enum component)(i % NR_COSTS),
		    i % 5 ? name : NULL, 1 + i);
	}
	cnt = pieces_of(&unit, piece);
	assert_in_range(cnt, 20, PIECES_MAX);
	assert_int_equal(pieces_ns(piece, cnt), unit_latency_ns(&unit));
	for (uint32_t i = 0; i < cnt; i++)
		has_rest |= piece[i].is_rest;
	assert_true(has_rest);
	free((void *)unit.cause);
}

/* A thread that changed its priority is one piece, which has no priority then. */
TEST(priorities_of_one_name_are_one_piece)
{
	struct piece piece[PIECES_MAX];
	struct unit unit = {0};
	struct cause cause = {
		.cost = COMPONENT_RUNQUEUE,
		.role = CAUSE_RAN,
		.by = {.class = BLAME_TASK, .kind = SLICE_TASK, .ns = 5, .comm = "hog"}};
	char title[NAME_LEN];

	cause.by.priority = 120;
	pictured_add_cause(&unit, cause);
	cause.by.priority = 130;
	pictured_add_cause(&unit, cause);
	assert_int_equal(pieces_of(&unit, piece), 1);
	assert_int_equal(piece[0].by.ns, 10);
	blame_title(&piece[0].by, title);
	assert_string_equal(title, "hog");
	free((void *)unit.cause);
}

TEST(a_culprit_has_its_place_in_the_picture)
{
	struct pictured *pictured = pictured_new();
	struct blame by = pictured->picture.culprit[1].by;

	by.tid = 4711;
	by.ns = 3;
	by.priority = 120;
	assert_int_equal(culprit_place(&pictured->picture, &by), 2);
	strcpy(by.comm, "kworker/9:1");
	assert_int_equal(culprit_place(&pictured->picture, &by), 2);
	strcpy(by.comm, "kworkers");
	assert_int_equal(culprit_place(&pictured->picture, &by), 0);
}
