/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains random runs, from their records. The rows add up, whatever is lost of a run. */
#include "support/altered_tape.h"
#include "support/explained_rows.h"
#include "support/simulation.h"

#include "explain/explainer.h"

#define RUNS 200

static int on_rank(void *explain, const struct unit *unit)
{
	return explain__rank(explain, unit);
}

static int on_add(void *explain, const struct unit *unit)
{
	int status = explain__add(explain, unit);

	return status < 0 ? status : 0;
}

static void play(const struct simulation *m, const struct tape *tape, enum unit_kind kind,
		 unit_fn *on_unit, struct explain *explain)
{
	struct run_info info = simulation_info(m);
	bool is_last = on_unit == on_add;
	const struct analysis_request request = {
		.ctx = explain,
		.has_no_statistics = true,
		.has_units = true,
		.kind = kind,
		.on_unit = on_unit,
		.has_causes = is_last,
		.causes_within = is_last ? explain__needed(explain) : NULL,
	};
	struct analysis *analysis = analysis__new(&info, &request);

	assert_non_null(analysis);
	for (size_t i = 0; i < tape->cnt; i++)
		assert_int_equal(analysis__record(analysis, tape->record[i]), 0);
	assert_int_equal(analysis__finish(analysis), 0);
	analysis__free(analysis);
}

static uint64_t sampled; /* explanations whose others are a sample */

/* Few slow units get no sample: with many of them, half of the others suffice. */
static uint64_t slowest_cnt(uint64_t seed)
{
	if (seed % 2 == 0)
		return 32 + seed % 9;
	return seed % 4 == 1 ? 2 + seed % 9 : 0;
}

/* Returns whether there were enough units. */
static bool explain_run(const struct simulation *m, const struct tape *tape, uint64_t seed)
{
	struct explain_choice choice = {
		.info = simulation_info(m),
		.kind = seed % 3 ? UNIT_MESSAGE : UNIT_ROUND,
		.selection = {.slowest_cnt = slowest_cnt(seed),
			      .against = seed % 5 ? AGAINST_MIDDLE : AGAINST_OTHERS},
		.sample_units = seed % 2 ? 0 : 8,
	};
	struct explain *explain = explain__new(&choice);
	struct explanation explanation;
	bool is_done;

	assert_non_null(explain);
	play(m, tape, choice.kind, on_rank, explain);
	if (explain__choose(explain) == EXPLAIN_DONE)
		play(m, tape, choice.kind, on_add, explain);
	assert_int_equal(explain__finish(explain, &explanation), 0);
	is_done = explanation.outcome == EXPLAIN_DONE;
	if (is_done)
		check_rows_add_up(&explanation);
	sampled += explanation.base.sampled_of > 0;
	explanation_clean(&explanation);
	explain__free(explain);
	return is_done;
}

static bool is_any(const struct record *record)
{
	return true;
}

TEST(rows_of_random_runs_add_up)
{
	uint64_t done = 0;

	for (uint64_t seed = 1; done < RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);

		done += explain_run(m, &m->tape, seed);
		simulation_free(m);
		assert_true(seed < 2 * RUNS);
	}
	assert_true(sampled > RUNS / 10);
}

TEST(lost_records_make_no_row_wrong)
{
	uint64_t done = 0;

	for (uint64_t seed = 1; done < RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		uint64_t dice = seed;
		struct tape damaged = tape_damaged(&m->tape, is_any, 1 + seed % 20, &dice);

		done += explain_run(m, &damaged, seed);
		tape_free(&damaged);
		simulation_free(m);
		assert_true(seed < 3 * RUNS);
	}
}
