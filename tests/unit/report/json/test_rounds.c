/* SPDX-License-Identifier: BSD-2-Clause */
/* The object `rounds` of a summary in JSON. */
#include "support/attached_rounds.h"
#include "support/build.h"
#include "support/json_report.h"
#include "support/sample.h"

TEST(an_attach_has_a_period_instead_of_a_tick)
{
	struct summary *summary = attached_rounds();
	json_t *json = json_report(summary);

	assert_null_at(json, "rounds.tick_ns");
	assert_int_equal(json_number_at(json, "rounds.period_ns"), 10000000);
	assert_true(json_number_at(json, "rounds.efficiency_pct") == 44);
	assert_int_equal(json_number_at(json, "rounds.start_distance_ns.count"), 199);
}

TEST(missed_deadlines_are_counted_by_cause)
{
	struct summary *summary = attached_rounds();
	json_t *json = json_report(summary);

	assert_int_equal(json_number_at(json, "rounds.missed.late"), 4);
	assert_int_equal(json_number_at(json, "rounds.missed.skipped"), 5);
	assert_int_equal(json_number_at(json, "rounds.missed.unfinished"), 2);
	assert_int_equal(json_array_size(json_at(json, "rounds.missed.causes")), 3);
	assert_text_at(json, "rounds.missed.causes.0.missed", "late");
	assert_text_at(json, "rounds.missed.causes.0.component", "runqueue");
	assert_text_at(json, "rounds.missed.causes.0.blame.comm", "hog");
	assert_int_equal(json_number_at(json, "rounds.missed.causes.0.blame.tid"), 77);
	assert_int_equal(json_number_at(json, "rounds.missed.causes.0.count"), 3);
	assert_text_at(json, "rounds.missed.causes.1.missed", "unfinished");
	assert_text_at(json, "rounds.missed.causes.1.component", "dispatch");
	assert_null_at(json, "rounds.missed.causes.1.blame");
	assert_null_at(json, "rounds.missed.causes.2.component");
}

/* Several threads of one name. */
TEST(a_culprit_without_a_number_has_none)
{
	struct summary *summary = attached_rounds();
	json_t *json;

	summary->rounds.missed.cause[0].blame.tid = 0;
	json = json_report(summary);
	assert_null_at(json, "rounds.missed.causes.0.blame.tid");
	assert_text_at(json, "rounds.missed.causes.0.blame.class", "task");
}

TEST(without_a_period_nothing_is_missed)
{
	struct summary *summary = attached_rounds();
	json_t *json;

	summary->rounds.period_ns = 0;
	json = json_report(summary);
	assert_null_at(json, "rounds.period_ns");
	assert_null_at(json, "rounds.efficiency_pct");
	assert_null_at(json, "rounds.missed");
	assert_null_at(json, "rounds.tick_ns");
}

TEST(a_run_has_a_tick_and_no_period)
{
	struct summary *summary = sample_summary(3);
	json_t *json = json_report(summary);

	assert_int_equal(json_number_at(json, "rounds.tick_ns"), 1000000);
	assert_true(json_number_at(json, "rounds.efficiency_pct") > 0);
	assert_null_at(json, "rounds.period_ns");
	assert_null_at(json, "rounds.start_distance_ns");
	assert_null_at(json, "rounds.missed");
}
