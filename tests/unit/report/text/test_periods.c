/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: the period of an attach's rounds, and what missed it. */
#include "support/attached_rounds.h"
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

TEST(period_and_missed_deadlines_are_shown)
{
	struct summary *summary = attached_rounds();
	char *text = shown(summary);

	assert_has(text, "= 44 % of the period (mean");
	assert_has(text, "period 10.000 ms (median from one start to the next)");
	assert_has(text, "late 4 of 199 rounds began more than 1.5 periods after the one before, "
			 "and 5 periods had no round: 3 while the sender waited for a CPU behind "
			 "hog (nice 0), 1 for a reason that is not known");
	assert_has(text, "rounds took longer than the period; longest part: 2 dispatch");
	assert_has_not(text, "paper");
}

TEST(rounds_that_keep_their_period_say_so)
{
	struct summary *summary = attached_rounds();
	char *text;

	summary->rounds.missed = (struct missed_summary){0};
	text = shown(summary);
	assert_has(text, "to the next); no round began late or took longer");
	assert_has_not(text, "too long");
}

TEST(rounds_without_a_period_say_so)
{
	struct summary *summary = attached_rounds();
	char *text;

	summary->rounds.period_ns = 0;
	summary->rounds.missed = (struct missed_summary){0};
	text = shown(summary);
	assert_has(text, "period the rounds have no regular period of their own");
	assert_has_not(text, "% of the period");
	stat_free(&summary->rounds.distance);
	summary->rounds.distance = (struct stat){0};
	stat_add(&summary->rounds.distance, 10000000);
	assert_has(shown(summary), "period not known: there were too few rounds");
}

/* Only so many are named, of late rounds and of others. */
TEST(many_causes_are_added_up)
{
	static const enum component component[10] = {
		COMPONENT_DISPATCH, COMPONENT_BUSY,    COMPONENT_ROOM, COMPONENT_BUSY,
		COMPONENT_RUNQUEUE, COMPONENT_BUSY,    COMPONENT_BUSY, COMPONENT_BLOCKED,
		COMPONENT_RECEIVE,  COMPONENT_RUNQUEUE};
	struct summary *summary = attached_rounds();
	char *text;

	for (uint32_t i = 0; i < 10; i++)
		summary->rounds.missed.cause[i] = (struct missed_cause){.is_late = i % 2,
									.is_known = true,
									.component = component[i],
									.count = 20 - i};
	summary->rounds.missed.cause_cnt = 10;
	text = shown(summary);
	assert_has(text, "longest part: 20 dispatch, 18 room, 16 run queue, 14 busy, 12 for other "
			 "reasons");
	assert_has(text, "19 while the sender ran other code");
	assert_has(text, "13 while the sender slept, 11 for other reasons");
}

TEST(a_run_has_no_period)
{
	assert_has_not(shown_sample(3), "period ");
}
