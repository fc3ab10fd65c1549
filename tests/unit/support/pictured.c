/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes pictures by hand, and draws figures of them into memory. */
#include "support/pictured.h"

#include "support/build.h"
#include "support/sample.h"
#include "support/svg.h"

#include <stdlib.h>

#define COLUMNS 40
#define ROWS    24

static void fill_heat(struct heat_map *heat)
{
	heat->from_ns = 1000000000;
	heat->to_ns = 3000000000;
	heat->columns = COLUMNS;
	heat->rows = ROWS;
	heat->bound_ns = calloc(ROWS + 1, sizeof(*heat->bound_ns));
	heat->cnt = calloc(ROWS * COLUMNS, sizeof(*heat->cnt));
	assert_non_null(heat->cnt);
	for (uint32_t row = 0; row <= ROWS; row++)
		heat->bound_ns[row] = row ? heat->bound_ns[row - 1] * 14 / 10 : 1000;
	for (uint32_t column = 0; column < COLUMNS; column++) {
		for (uint32_t row = 2; row < 8; row++)
			heat->cnt[row * COLUMNS + column] = 1 + 400 / (1 + (row - 4) * (row - 4));
		if (column % 9 == 4)
			heat->cnt[(12 + column % 5) * COLUMNS + column] = 3;
	}
}

static void fill_strips(struct picture *picture)
{
	static const char *const names[] = {"hog", "kworker/1:2", "NET_RX"};

	for (uint32_t i = 0; i < 3; i++) {
		struct blame by = {.class = i ? BLAME_KTHREAD : BLAME_TASK, .kind = SLICE_TASK};

		snprintf(by.comm, RECORD_COMM_LEN, "%s", names[i]);
		picture->culprit[i].by = culprit_folded_by_name(&by);
		picture->culprit[i].ns = 3000000 >> i;
	}
	picture->culprit_cnt = 3;
	for (uint32_t i = 0; i < 2; i++) {
		struct cpu_strip *strip = &picture->strip[i];

		strip->cpu = i;
		strip->cell = calloc(COLUMNS, sizeof(*strip->cell));
		assert_non_null(strip->cell);
		for (uint32_t column = 4; column < COLUMNS; column += 9) {
			strip->cell[column] = (struct strip_cell){1 + i, 1000000, 1200000};
			strip->ns += 1200000;
		}
	}
	picture->strip_cnt = 2;
}

static void fill_bands(struct picture *picture)
{
	for (int i = 0; i < NR_BANDS; i++) {
		struct band *band = &picture->band[i];
		double *part = band->part_ns[PART_WHOLE];

		band->above_ns = i ? 5000u << (2 * i) : 0;
		band->up_to_ns = 5000u << (2 * i + 2);
		band->units = band->known = 10000 >> (2 * i);
		part[COMPONENT_SEND_PATH] = 1500.125;
		part[COMPONENT_WAKEUP] = 2500;
		part[COMPONENT_RUNQUEUE] = i ? 2000 << (2 * i) : 0;
		part[COMPONENT_RECEIVE] = 800;
		for (int cost = 0; cost < NR_COSTS; cost++)
			band->mean_ns += part[cost];
	}
}

void pictured_add_cause(struct unit *unit, struct cause cause)
{
	struct cause *causes =
		reallocarray((void *)unit->cause, unit->cause_cnt + 1, sizeof(*causes));

	assert_non_null(causes);
	causes[unit->cause_cnt++] = cause;
	unit->cause = causes;
}

static void fill_unit(struct unit *unit, uint32_t i)
{
	uint64_t at = 1200000000 + i * 100000000ull, waits = 900000 - i * 100000;

	*unit = (struct unit){.kind = UNIT_MESSAGE,
			      .from_ns = at,
			      .to_ns = at + waits + 100000,
			      .channel = 7,
			      .position = 100 + i,
			      .bytes = 64,
			      .receives = 1,
			      .path = PATH_SLEPT,
			      .sender = {4711, 0, "server"},
			      .receiver = {4712 + i, 1, "client"},
			      .has_round = true,
			      .round = 300 + i,
			      .client = 1 + i % 5,
			      .place = 1 + i % 5};
	pictured_add_cause(unit, (struct cause){.cost = COMPONENT_SEND_PATH,
						.from_ns = at,
						.tid = 4711,
						.by = {.ns = 40000}});
	pictured_add_cause(unit, (struct cause){.cost = COMPONENT_WAKEUP,
						.from_ns = at + 40000,
						.tid = 4712,
						.by = {.ns = 10000}});
	pictured_add_cause(unit, (struct cause){.cost = COMPONENT_RUNQUEUE,
						.role = CAUSE_RAN,
						.from_ns = at + 50000,
						.tid = 4712,
						.by = {.class = BLAME_TASK,
						       .tid = 99,
						       .cpu = 1,
						       .ns = waits - 100000,
						       .comm = "hog"}});
	pictured_add_cause(unit, (struct cause){.cost = COMPONENT_RUNQUEUE,
						.role = CAUSE_RAN,
						.from_ns = at + waits - 50000,
						.tid = 4712,
						.by = {.class = BLAME_KTHREAD,
						       .tid = 12,
						       .cpu = 1,
						       .ns = 100000,
						       .comm = "kworker/1:2"}});
	pictured_add_cause(unit, (struct cause){.cost = COMPONENT_BLOCKED,
						.role = CAUSE_WOKE,
						.parent = 3,
						.from_ns = at + 60000,
						.tid = 99,
						.by = {.class = BLAME_TASK,
						       .tid = 98,
						       .cpu = 0,
						       .ns = 5000,
						       .comm = "other"}});
	pictured_add_cause(unit, (struct cause){.cost = COMPONENT_RECEIVE,
						.from_ns = at + waits + 50000,
						.tid = 4712,
						.by = {.ns = 50000}});
}

static void fill_curve(struct curve *curve, uint64_t factor)
{
	static const double percents[] = {10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 100};

	curve->units = 10000;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		uint64_t ns = (5000 + 200 * i * i * i) * factor / 10;

		curve->point[curve->point_cnt++] = (struct curve_point){
			percents[i], ns, ns * 9 / 10, percents[i] < 99.9 ? ns * 11 / 10 : 0};
	}
}

static void fill_explanation(struct explanation *explanation)
{
	explanation->outcome = EXPLAIN_DONE;
	explanation->slow.count = 12;
	explanation->base.count = 5000;
	explanation->episode = calloc(2, sizeof(*explanation->episode));
	assert_non_null(explanation->episode);
	explanation->episode_cnt = explanation->episodes = 2;
	for (uint64_t i = 0; i < 2; i++)
		explanation->episode[i] = (struct explain_episode){
			.from_ns = 1200000000 + i * 900000000,
			.to_ns = 1210000000 + i * 900000000,
			.units = 6,
			.worst_ns = 1000000 - i * 100000,
			.worst_at_ns = 1205000000 + i * 900000000,
			.excess_ns = 4000000 - i * 1000000,
			.cost = COMPONENT_RUNQUEUE,
			.role = CAUSE_RAN,
			.by = {.class = BLAME_TASK, .tid = 99, .comm = "hog"},
			.cpu = 1};
}

struct pictured *pictured;

static void drop(void *made)
{
	struct pictured *pictured = made;

	explanation_clean(&pictured->explanation);
	picture_clean(&pictured->picture);
	free(pictured);
}

struct pictured *pictured_new(void)
{
	struct pictured *pictured = drop_after(calloc(1, sizeof(*pictured)), drop);
	struct picture *picture = &pictured->picture;

	pictured->summary = sample_summary(5);
	pictured->explanation.info = picture->info = pictured->summary->info;
	picture->units = 10000;
	picture->slow_above_ns = 60000;
	fill_heat(&picture->heat);
	fill_strips(picture);
	fill_bands(picture);
	for (uint32_t i = 0; i < 6; i++)
		fill_unit(&picture->slowest[picture->slowest_cnt++], i);
	fill_curve(&picture->curve, 10);
	fill_explanation(&pictured->explanation);
	for (uint64_t ns = 1000; ns < 60000; ns += 37)
		stat_add(&picture->latency, ns);
	pictured->illustration = (struct illustration){.summary = pictured->summary,
						       .explanation = &pictured->explanation,
						       .picture = &pictured->picture};
	return pictured;
}

#define WIDE_COLUMNS 240
#define WIDE_ROWS    49

static void fill_cells(struct picture *picture)
{
	struct heat_map *heat = &picture->heat;

	free(heat->bound_ns);
	free(heat->cnt);
	heat->columns = WIDE_COLUMNS;
	heat->rows = WIDE_ROWS;
	heat->bound_ns = calloc(WIDE_ROWS + 1, sizeof(*heat->bound_ns));
	heat->cnt = calloc((size_t)WIDE_ROWS * WIDE_COLUMNS, sizeof(*heat->cnt));
	assert_non_null(heat->cnt);
	for (uint32_t row = 0; row <= WIDE_ROWS; row++)
		heat->bound_ns[row] = 1000 + 100000 * row;
	for (uint32_t i = 0; i < WIDE_ROWS * WIDE_COLUMNS; i++)
		heat->cnt[i] = 1ull << (i * 7 % 20);
	for (uint32_t i = 0; i < PICTURE_CPUS_MAX; i++) {
		struct cpu_strip *strip = &picture->strip[i];

		free(strip->cell);
		strip->cpu = i;
		strip->cell = calloc(WIDE_COLUMNS, sizeof(*strip->cell));
		assert_non_null(strip->cell);
		for (uint32_t column = 0; column < WIDE_COLUMNS; column++)
			strip->cell[column] =
				(struct strip_cell){1 + column % 3, 10000000 + column, 99999999};
	}
	picture->strip_cnt = PICTURE_CPUS_MAX;
}

static void fill_series(struct picture *picture)
{
	uint32_t points = SERIES_POINTS_MAX / PICTURE_CLIENTS_MAX;

	for (uint32_t i = 0; i < picture->series_cnt; i++)
		free(picture->series[i].point);
	picture->series_cnt = PICTURE_CLIENTS_MAX;
	for (uint32_t i = 0; i < PICTURE_CLIENTS_MAX; i++) {
		struct client_series *series = &picture->series[i];

		series->client = i + 1;
		series->point = calloc(points, sizeof(*series->point));
		series->point_cnt = points;
		assert_non_null(series->point);
		for (uint32_t k = 0; k < points; k++)
			series->point[k] = (struct series_point){1000000 + k, 90000000 + k};
	}
}

void pictured_fill(struct picture *picture)
{
	fill_cells(picture);
	fill_series(picture);
}

int pictured_set_up(void **state)
{
	pictured = *state = pictured_new();
	return 0;
}

char *pictured_figure(const struct figure *figure, const struct illustration *illustration,
		      double width)
{
	char *text = NULL;
	size_t size = 0;
	struct markup markup = {.out = open_memstream(&text, &size)};
	const struct canvas canvas = {
		.markup = &markup, .width = width, .is_narrow = width < FIGURE_WIDE, .id = "here"};

	assert_non_null(markup.out);
	assert_int_equal(figure_draw(figure, &canvas, illustration), 0);
	assert_int_equal(markup.depth, 0);
	assert_int_equal(fclose(markup.out), 0);
	assert_well_formed(text);
	assert_inside(text);
	return drop_after(text, free);
}
