/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a sum for each CPU, column and culprit that occurs, and for each priority of a culprit. */
#include "picture/parts.h"

#include "explain/culprits.h"
#include "explain/index_table.h"

#include <errno.h>
#include <stdlib.h>

/* Further sums are left out: the strips of other CPUs lack them. */
#define CELLS_MAX (1u << 18)

struct place {
	uint32_t cpu;
	uint32_t column;
	uint32_t culprit;
};

struct sum {
	struct place place;
	uint64_t ns;
};

/* The priorities that a culprit had first. */
struct priorities {
	struct culprit_priority had[CULPRIT_PRIORITIES_MAX];
	uint32_t cnt;
};

struct strips {
	struct culprits *culprits;
	struct index_table sums; /* of struct sum */
	struct priorities *of;   /* [of_room], by culprit */
	uint32_t of_room;
};

struct strips *strips__new(void)
{
	struct strips *strips = calloc(1, sizeof(*strips));

	if (!strips)
		return NULL;
	strips->sums = (struct index_table){.entry_size = sizeof(struct sum),
					    .key_size = sizeof(struct place)};
	strips->culprits = culprits__new();
	if (strips->culprits)
		return strips;
	free(strips);
	return NULL;
}

void strips__free(struct strips *strips)
{
	if (!strips)
		return;
	culprits__free(strips->culprits);
	index_table_clean(&strips->sums);
	free(strips->of);
	free(strips);
}

static struct sum *sums_of(const struct strips *strips)
{
	return strips->sums.entry;
}

static int add_sum(struct strips *strips, struct place place, uint64_t ns)
{
	int64_t found = index_table_place(&strips->sums, &place, CELLS_MAX);

	if (found >= 0 && found != INDEX_NONE)
		sums_of(strips)[found].ns += ns;
	return found < 0 ? (int)found : 0;
}

/* Those of a culprit; NULL: no memory. */
static struct priorities *priorities_of(struct strips *strips, uint32_t culprit)
{
	uint32_t room = strips->of_room ?: PICTURE_CULPRITS_MAX;
	struct priorities *of;

	while (room <= culprit)
		room *= 2;
	if (room > strips->of_room) {
		of = reallocarray(strips->of, room, sizeof(*of));
		if (!of)
			return NULL;
		memset(of + strips->of_room, 0, (room - strips->of_room) * sizeof(*of));
		strips->of = of;
		strips->of_room = room;
	}
	return &strips->of[culprit];
}

/* Only threads that are known by name have one. */
static int add_priority(struct strips *strips, uint32_t culprit, const struct blame *by)
{
	struct priorities *of = priorities_of(strips, culprit);
	uint32_t i = 0;

	if (!of)
		return -ENOMEM;
	if (by->kind != SLICE_TASK || !by->comm[0])
		return 0;
	while (i < of->cnt &&
	       (of->had[i].policy != by->policy || of->had[i].priority != by->priority))
		i++;
	if (i == CULPRIT_PRIORITIES_MAX)
		return 0;
	of->had[i].policy = by->policy;
	of->had[i].priority = by->priority;
	of->had[i].ns += by->ns;
	of->cnt += i == of->cnt;
	return 0;
}

/* The first instant after a column. */
static uint64_t column_end_ns(const struct heat_map *heat, uint32_t column)
{
	unsigned __int128 span_ns = (unsigned __int128)heat->to_ns - heat->from_ns + 1;

	return heat->from_ns +
	       (uint64_t)(((column + 1) * span_ns + heat->columns - 1) / heat->columns);
}

/*
 *	cause          |------------------|
 *	columns    |       |       |       |
 */
static int strips_add_cause(struct strips *strips, const struct heat_map *heat,
			    const struct cause *cause)
{
	struct cause named = {.role = cause->role, .by = culprit_folded_by_name(&cause->by)};
	int64_t culprit = culprits__find(strips->culprits, &named);
	uint64_t at_ns = cause->from_ns, end_ns = cause->from_ns + cause->by.ns;
	int err = culprit < 0 ? (int)culprit : add_priority(strips, (uint32_t)culprit, &cause->by);

	while (!err && at_ns < end_ns) {
		uint32_t column = heat_column(heat, at_ns);
		uint64_t until_ns =
			column + 1 < heat->columns ? column_end_ns(heat, column) : end_ns;

		if (until_ns > end_ns || until_ns <= at_ns)
			until_ns = end_ns;
		err = add_sum(strips, (struct place){cause->by.cpu, column, (uint32_t)culprit},
			      until_ns - at_ns);
		at_ns = until_ns;
	}
	return err;
}

/* Followed causes are part of another one. */
static bool has_run(const struct cause *cause)
{
	return !cause->parent && (cause->role == CAUSE_RAN || cause->role == CAUSE_INSIDE) &&
	       cause->by.cpu < BLAME_CPU_SEVERAL;
}

int strips__add(struct strips *strips, const struct heat_map *heat, const struct unit *unit)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < unit->cause_cnt; i++) {
		if (has_run(&unit->cause[i]))
			err = strips_add_cause(strips, heat, &unit->cause[i]);
	}
	return err;
}

struct total {
	uint32_t number; /* of a culprit, or a CPU */
	uint64_t ns;
};

static int strips_compare_numbers(const void *left, const void *right)
{
	const struct total *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

/* The longest first. */
static int compare_totals(const void *left, const void *right)
{
	const struct total *a = left, *b = right;

	return (a->ns < b->ns) - (a->ns > b->ns) ?: strips_compare_numbers(a, b);
}

/* The sums of each CPU or of each culprit, the largest first; `*cnt` of them. NULL: no memory. */
static struct total *totals_of(const struct strips *strips, bool of_cpus, uint32_t *cnt)
{
	struct total *total = calloc(strips->sums.cnt ?: 1, sizeof(*total));

	*cnt = 0;
	if (!total)
		return NULL;
	for (uint32_t i = 0; i < strips->sums.cnt; i++) {
		const struct place *place = &sums_of(strips)[i].place;

		total[i] = (struct total){of_cpus ? place->cpu : place->culprit,
					  sums_of(strips)[i].ns};
	}
	qsort(total, strips->sums.cnt, sizeof(*total), strips_compare_numbers);
	for (uint32_t i = 0; i < strips->sums.cnt; i++) {
		if (*cnt && total[*cnt - 1].number == total[i].number)
			total[*cnt - 1].ns += total[i].ns;
		else
			total[(*cnt)++] = total[i];
	}
	qsort(total, *cnt, sizeof(*total), compare_totals);
	return total;
}

/* The longest first. */
static int compare_priorities(const void *left, const void *right)
{
	const struct culprit_priority *a = left, *b = right;

	return (a->ns < b->ns) - (a->ns > b->ns)
		       ?: (a->priority > b->priority) - (a->priority < b->priority);
}

static void fill_culprits(const struct strips *strips, const struct total *total, uint32_t cnt,
			  struct picture *picture)
{
	picture->culprit_cnt = cnt < PICTURE_CULPRITS_MAX ? cnt : PICTURE_CULPRITS_MAX;
	picture->culprits_more = cnt - picture->culprit_cnt;
	for (uint32_t i = 0; i < picture->culprit_cnt; i++) {
		struct picture_culprit *culprit = &picture->culprit[i];
		const struct priorities *of = &strips->of[total[i].number];

		*culprit = (struct picture_culprit){
			.by = culprits__blame(strips->culprits, total[i].number),
			.ns = total[i].ns,
			.priority_cnt = of->cnt,
		};
		memcpy(culprit->priority, of->had, sizeof(of->had));
		qsort(culprit->priority, of->cnt, sizeof(*culprit->priority), compare_priorities);
	}
}

/* Empty strips in the order of CPUs. */
static int make_strips(struct total *total, uint32_t cnt, struct picture *picture)
{
	uint32_t listed = cnt < PICTURE_CPUS_MAX ? cnt : PICTURE_CPUS_MAX;

	picture->cpus_more = cnt - listed;
	qsort(total, listed, sizeof(*total), strips_compare_numbers);
	for (uint32_t i = 0; i < listed; i++) {
		struct cpu_strip *strip = &picture->strip[i];

		*strip = (struct cpu_strip){
			.cpu = total[i].number,
			.ns = total[i].ns,
			.cell = calloc(picture->heat.columns, sizeof(*strip->cell))};
		if (!strip->cell)
			return -ENOMEM;
		picture->strip_cnt++;
	}
	return 0;
}

static struct cpu_strip *strip_of(struct picture *picture, uint32_t cpu)
{
	for (uint32_t i = 0; i < picture->strip_cnt; i++) {
		if (picture->strip[i].cpu == cpu)
			return &picture->strip[i];
	}
	return NULL;
}

static uint32_t strips_place_of(const struct total *total, uint32_t cnt, uint32_t culprit)
{
	for (uint32_t i = 0; i < cnt; i++) {
		if (total[i].number == culprit)
			return i + 1;
	}
	return 0;
}

/*
 * A cell shows the culprit with most time in it; if two have equal times, the one with more in all.
 */
static void fill_cells(const struct strips *strips, const struct total *total,
		       struct picture *picture)
{
	for (uint32_t i = 0; i < strips->sums.cnt; i++) {
		const struct sum *sum = &sums_of(strips)[i];
		struct cpu_strip *strip = strip_of(picture, sum->place.cpu);
		uint32_t culprit = strips_place_of(total, picture->culprit_cnt, sum->place.culprit);
		struct strip_cell *cell = strip ? &strip->cell[sum->place.column] : NULL;

		if (!cell)
			continue;
		cell->all_ns += sum->ns;
		if (!culprit || sum->ns < cell->ns ||
		    (sum->ns == cell->ns && cell->culprit && culprit > cell->culprit))
			continue;
		cell->culprit = culprit;
		cell->ns = sum->ns;
	}
}

int strips__finish(const struct strips *strips, struct picture *picture)
{
	uint32_t culprit_cnt, cpu_cnt;
	struct total *culprit = totals_of(strips, false, &culprit_cnt);
	struct total *cpu = totals_of(strips, true, &cpu_cnt);
	int err = culprit && cpu ? make_strips(cpu, cpu_cnt, picture) : -ENOMEM;

	if (!err) {
		fill_culprits(strips, culprit, culprit_cnt, picture);
		fill_cells(strips, culprit, picture);
	}
	free(culprit);
	free(cpu);
	return err;
}
