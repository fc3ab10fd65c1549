/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The units of random runs and of the recordings of tests/replay. What must be true of every unit
 * is in support/checked_units.c.
 */
#include "support/altered_tape.h"
#include "support/checked_units.h"
#include "support/simulation.h"

#include "recording/recording.h"

#include <glob.h>

#define RUNS 40

TEST(the_causes_of_random_runs_add_up)
{
	uint64_t ns[NR_COSTS] = {0};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct checked_units units = check_units(&info, &m->tape, UNIT_MESSAGE);

		assert_true(units.units > 0);
		assert_true(units.moments > units.units);
		for (int i = 0; i < NR_COSTS; i++)
			ns[i] += units.ns[i];
		simulation_free(m);
	}
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_true(i == COMPONENT_ROOM || ns[i] > 0);
}

TEST(watermarks_change_no_cause)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct checked_units one = check_units(&info, &m->tape, UNIT_MESSAGE);
		struct tape tape = tape_watermarked(&m->tape, seed);
		struct checked_units other = check_units(&info, &tape, UNIT_MESSAGE);

		assert_int_equal(one.hash, other.hash);
		tape_free(&tape);
		simulation_free(m);
	}
}

static bool is_any(const struct record *record)
{
	return true;
}

TEST(lost_records_make_no_sum_wrong)
{
	static const size_t holes[] = {1, 5, 20, 100};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		uint64_t dice = seed;

		for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
			struct tape tape = tape_damaged(&m->tape, is_any, holes[i], &dice);
			struct tape marked = tape_watermarked(&tape, seed);

			for (int kind = 0; kind < NR_UNIT_KINDS; kind++)
				check_units(&info, &marked, kind);
			tape_free(&marked);
			tape_free(&tape);
		}
		simulation_free(m);
	}
}

/* What is heard of units in a span, and of others. */
struct heard_within {
	struct span span;
	uint64_t causes; /* of those within */
	uint64_t ns;
	uint64_t others;
	uint64_t causes_of_others;
	uint64_t first_ns; /* the first one that was heard begins, ... */
	uint64_t last_ns;  /* ... and the last one */
};

static int on_unit(void *ctx, const struct unit *unit)
{
	struct heard_within *heard = ctx;
	uint64_t ns = 0;

	heard->first_ns = heard->first_ns ?: unit->from_ns;
	heard->last_ns = unit->from_ns;
	if (unit->to_ns < heard->span.from_ns || unit->from_ns > heard->span.to_ns) {
		heard->others++;
		heard->causes_of_others += unit->cause_cnt;
		return 0;
	}
	if (unit->from_ns < heard->span.from_ns || unit->to_ns > heard->span.to_ns)
		return 0; /* some of its messages may be outside */
	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		ns += unit->cause[i].parent ? 0 : unit->cause[i].by.ns;
	assert_int_equal(ns, unit_latency_ns(unit));
	heard->causes += unit->cause_cnt;
	heard->ns += ns;
	return 0;
}

static struct analysis *hear_within(const struct run_info *info, enum unit_kind kind,
				    struct heard_within *heard, const struct spans *spans)
{
	const struct analysis_request request = {.ctx = heard,
						 .has_no_statistics = true,
						 .has_units = true,
						 .kind = kind,
						 .on_unit = on_unit,
						 .has_causes = true,
						 .causes_within = spans};
	struct analysis *analysis = analysis__new(info, &request);

	assert_non_null(analysis);
	return analysis;
}

static struct heard_within hear_run(const struct simulation *m, enum unit_kind kind,
				    struct span span, bool is_restricted)
{
	struct run_info info = simulation_info(m);
	struct heard_within heard = {.span = span};
	const struct spans spans = {&span, 1};
	struct analysis *analysis = hear_within(&info, kind, &heard, is_restricted ? &spans : NULL);

	for (size_t i = 0; i < m->tape.cnt; i++)
		assert_int_equal(analysis__record(analysis, m->tape.record[i]), 0);
	assert_int_equal(analysis__finish(analysis), 0);
	analysis__free(analysis);
	return heard;
}

/* The first run of a recording. */
static struct heard_within hear_recording(const char *path, enum unit_kind kind, struct span span,
					  bool is_restricted)
{
	struct recording_reader *reader = recording__open(path);
	struct heard_within heard = {.span = span};
	const struct spans spans = {&span, 1};
	const struct record *record;
	struct analysis *analysis;
	struct run_info info;

	assert_non_null(reader);
	assert_true(recording__next_run(reader, &info) > 0);
	analysis = hear_within(&info, kind, &heard, is_restricted ? &spans : NULL);
	while ((record = recording__read(reader)))
		assert_int_equal(analysis__record(analysis, record), 0);
	assert_int_equal(analysis__finish(analysis), 0);
	analysis__free(analysis);
	recording__free(reader);
	return heard;
}

/* Those outside have none, or those of some of their messages. */
static void compare_within(const struct heard_within *all, const struct heard_within *some,
			   enum unit_kind kind)
{
	assert_int_equal(some->causes, all->causes);
	assert_int_equal(some->ns, all->ns);
	assert_int_equal(some->others, all->others);
	if (kind == UNIT_MESSAGE)
		assert_int_equal(some->causes_of_others, 0);
}

TEST(causes_may_be_asked_for_in_a_span)
{
	uint64_t causes = 0, others = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		uint64_t middle_ns = m->truth[m->truth_cnt / 2].stamp_ns;
		struct span span = {middle_ns, middle_ns + 100000};

		for (int kind = UNIT_MESSAGE; kind < NR_UNIT_KINDS; kind++) {
			struct heard_within all = hear_run(m, kind, span, false);
			struct heard_within some = hear_run(m, kind, span, true);

			compare_within(&all, &some, kind);
			causes += some.causes;
			others += some.others;
		}
		simulation_free(m);
	}
	assert_true(causes > 0 && others > 0);
}

TEST(causes_of_recordings_may_be_asked_for_in_a_span)
{
	uint64_t causes[NR_UNIT_KINDS] = {0}, others = 0;
	glob_t found;

	assert_int_equal(glob("tests/replay/*.ipct", 0, NULL, &found), 0);
	assert_int_equal(glob("tests/replay/attached/*.ipct", GLOB_APPEND, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];

		for (int kind = UNIT_MESSAGE; kind < NR_UNIT_KINDS; kind++) {
			struct heard_within all =
				hear_recording(path, kind, (struct span){0, UINT64_MAX}, false);
			uint64_t middle_ns = all.first_ns + (all.last_ns - all.first_ns) / 2;
			struct span span = {middle_ns, middle_ns + 3000000};
			struct heard_within some = hear_recording(path, kind, span, true);

			all = hear_recording(path, kind, span, false);
			compare_within(&all, &some, kind);
			causes[kind] += some.causes;
			others += some.others;
		}
	}
	globfree(&found);
	assert_true(others > 0);
	for (int kind = 0; kind < NR_UNIT_KINDS; kind++)
		assert_true(causes[kind] > 0);
}

/* Plays all runs of a recording. Returns how many units there were. */
static uint64_t play_recording(const char *path, enum unit_kind kind)
{
	struct recording_reader *reader = recording__open(path);
	struct checked_units units;
	struct run_info info;
	uint64_t cnt = 0;

	assert_non_null(reader);
	while (recording__next_run(reader, &info) > 0) {
		struct analysis *analysis = check_units_begin(&units, &info, kind);
		const struct record *record;

		while ((record = recording__read(reader)))
			assert_int_equal(analysis__record(analysis, record), 0);
		check_units_end(&units, analysis);
		cnt += units.units;
	}
	recording__free(reader);
	return cnt;
}

TEST(the_causes_of_recordings_add_up)
{
	glob_t found;
	uint64_t cnt[NR_UNIT_KINDS] = {0};

	assert_int_equal(glob("tests/replay/*.ipct", 0, NULL, &found), 0);
	assert_int_equal(glob("tests/replay/attached/*.ipct", GLOB_APPEND, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		for (int kind = 0; kind < NR_UNIT_KINDS; kind++)
			cnt[kind] += play_recording(found.gl_pathv[i], kind);
	}
	globfree(&found);
	assert_true(cnt[UNIT_MESSAGE] > 1000);
}
