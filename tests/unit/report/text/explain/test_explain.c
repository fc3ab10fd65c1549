/* SPDX-License-Identifier: BSD-2-Clause */
/* The explanation as text: it leads to the cause, and its tables have the figures. */
#include "support/build.h"
#include "support/capture.h"
#include "support/explained.h"
#include "support/page.h"

#include <string.h>

static char *show(const struct explanation *explanation, bool is_brief)
{
	const struct report_style style = {.is_brief = is_brief};
	char *text = explained_show("text", style, explanation);

	assert_width(text, PAGE_WIDTH);
	assert_numbers_are_numbers(text);
	return text;
}

/* The text of a whole explanation, unwrapped. */
static char *shown_whole(struct explanation *explanation)
{
	return unwrapped(show(explanation, false));
}

TEST(first_line_names_the_culprit)
{
	struct explanation *explanation = explained_push();
	char *text = show(explanation, true);

	assert_int_equal(
		strncmp(text,
			"In slow messages, the client waits for CPU 1 behind hog (pid 4711, RR "
			"50): 97 %",
			70),
		0);
	unwrapped(text);
	assert_has(text,
		   "97 % of the difference, found in 48 of the 50 and in 2.4 % of the others. "
		   "The 50 slow ones (slowest 1%) take 812.5 us on average, 790.1 us more than "
		   "the 2500 others (middle half).");
	assert_has(text, "apart on CPU 1: 96 % of the slow ones, 50 % of the others (1.9 times as "
			 "often)");
	assert_has(text, "when 9 episodes, 6 of 9 lie 1.000 s apart; the largest at 06:24:42.000 "
			 "(1.000 s), 10 messages in 2 rounds");
	assert_has(text, "without hog (pid 4711, RR 50), the p99 of all would be 60.0 us at best "
			 "instead of 510.0 us");
	assert_has(text, "known the causes of ");
	assert_has_not(text, "trust"); /* which the report says once */
	assert_has(text, "waiting for ipctrace itself is 0.3 % of the difference; 2 could not be "
			 "cut in full; 3 "
			 "are ambiguous and left out");
}

TEST(others_are_a_sample_or_none)
{
	struct explanation *explanation = explained_push();
	char *text;

	explanation->base.sampled_of = 250000;
	text = show(explanation, true);
	unwrapped(text);
	assert_has(text, "790.1 us more than 2500 of the 250000 others (middle half).");

	explanation->slow.count = 1;
	explanation->base = (struct explain_set){0};
	text = show(explanation, true);
	unwrapped(text);
	assert_has(text, "97 % of its time. It (slowest 1%) takes");
	assert_has(text, "There are no others to compare with.");
}

TEST(an_episode_says_what_its_culprit_did)
{
	static const struct {
		enum component cost;
		enum cause_role role;
		const char *words;
	} cases[] = {
		{COMPONENT_RUNQUEUE, CAUSE_RAN, "mostly behind hog (pid 4711, RR 50)"},
		{COMPONENT_BLOCKED, CAUSE_WOKE, "mostly blocked by hog (pid 4711, RR 50)"},
		{COST_STOPPED, CAUSE_WOKE, "mostly stopped until hog (pid 4711, RR 50)"},
		{COMPONENT_BUSY, CAUSE_KEPT, "mostly busy with hog (pid 4711, RR 50)"},
		{COMPONENT_DISPATCH, CAUSE_KEPT, "mostly dispatch to hog (pid 4711, RR 50)"},
		{COMPONENT_RECEIVE, CAUSE_INSIDE, "mostly receive: hog (pid 4711, RR 50)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct explanation *explanation = explained_push();
		char *text;

		explanation->episode[0].cost = cases[i].cost;
		explanation->episode[0].role = cases[i].role;
		text = show(explanation, true);
		unwrapped(text);
		assert_has(text, cases[i].words);
	}
}

TEST(first_screen_is_a_screen)
{
	struct explanation *explanation = explained_push();
	size_t lines = 0;
	char *text = show(explanation, true);

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_in_range(lines, 10, 24);
	assert_has_not(text, "a typical slow message");
}

TEST(difference_has_components_and_culprits)
{
	struct explanation *explanation = explained_push();
	char *text = shown_whole(explanation);

	assert_has(text,
		   " run queue 771.5 97.6 % 50/50 100 % behind hog (pid 4711, RR 50) 769.0 97.3 % "
		   "48/50 2.4 % 2 others 2.5 0.3 %");
	assert_has(text,
		   " receive 18.5 2.3 % 50/50 100 % interrupted by net_rx (softirq 3) 18.0 2.3 "
		   "% 12/50 1.2 % 1 other 0.5 0.1 % 2 others 0.1 0.0 % difference 790.1 100.0 %");
}

/* The line "known" says it, which `--brief` prints, too. */
TEST(what_ipctrace_itself_took_is_said_once)
{
	struct explanation *explanation = explained_push();
	char *text = shown_whole(explanation);
	const char *at = strstr(text, "ipctrace itself");

	assert_non_null(at);
	assert_null(strstr(at + 1, "ipctrace itself"));
}

TEST(attributes_have_intervals)
{
	struct explanation *explanation = explained_push();
	char *text;

	explanation->attribute[1].same_as = 1;
	explanation->attribute[0].ratio = 205.3;
	explanation->attribute[0].ratio_low = 36.7;
	explanation->attribute[0].ratio_high = 1166.2;
	text = shown_whole(explanation);
	assert_has(text, " on CPU 1 96.0 % 50.0 % 205.3 36.7 to 1166 ");
	assert_has(text, " = 1 to 2 s after the one before 90.0 % 0.0 % - at least 40.0 ");
	assert_has(text, "41 values were looked at.");
	assert_has_not(text, "after the one before: 90 %");
}

TEST(one_unit_is_shown_in_full)
{
	struct explanation *explanation = explained_push();
	char *text = shown_whole(explanation);

	assert_has(text,
		   "which message 17/4211 over uds, 64 bytes, round 321, client 3, place 5 "
		   "from, to ipctrace-server (pid 100) on CPU 0 to ipctrace-cl-3 (tid 103) on "
		   "CPU 1 when begins at 06:24:42.000 (1.000 s)");
	assert_has(text,
		   " dispatch 8.100 1.0 % +0.000 send path 3.400 0.4 % +8.000 run queue "
		   "799.012 98.3 % behind hog (pid 4711, RR 50) 790.012 97.2 % 1 +11.000 behind "
		   "ipctrace-server 9.000 1.1 % 0 +801.000 receive 1.988 0.2 % "
		   "+810.000 latency 812.500 100.0 %");
	assert_has(text, " -900.000 911.000 1 ipctrace-cl-3 blocked: until ipctrace-server "
			 "+11.000 799.000 1 ipctrace-cl-3 run queue: behind hog ");
}

TEST(a_lock_is_followed_to_what_kept_its_owner)
{
	struct explanation *explanation = explained_lock();
	char *text = shown_whole(explanation);

	assert_has(text,
		   "In the service of slow calls, the server sleeps in futex until worker "
		   "(pid 62, nice 0) wakes "
		   "it, while worker waits for CPU 1 behind hog (pid 4711, RR 50): 99.5 % of the "
		   "difference, found in all 50");
	assert_has(text, "apart Nothing sets them apart (12 values looked at).");
	assert_has(text, " service: blocked 1990.0 99.5 % 50/50 100 % in futex until worker 1990.0 "
			 "99.5 % 50/50 100 % run queue: behind hog 1900.0 95.0 % 50/50 "
			 "100 % on CPU 90.0 4.5 %");
	assert_has_not(text, "lie 1.000 s apart");
}

/* Other episodes come in between. */
TEST(a_period_may_be_that_of_one_culprit)
{
	struct explanation *explanation = explained_push();
	char *text;

	explanation->period_episode = 3;
	text = shown_whole(explanation);
	assert_has(text,
		   "when 9 episodes, 6 of 9 distances between those of hog (pid 4711, RR 50) are "
		   "1.000 s; the largest");
}

TEST(interrupts_that_end_sleeps_are_named_if_known)
{
	struct explanation *explanation = explained_lock();
	char *text;

	explanation->row[1].from_interrupt = true;
	text = shown_whole(explanation);
	assert_has(text, "the server sleeps in futex until an interrupt wakes it: ");
	explanation = explained_lock();
	explanation->row[1].from_interrupt = true;
	explanation->row[1].by = (struct blame){
		.class = BLAME_IRQ, .kind = SLICE_IRQ, .tid = 24, .cpu = 1, .comm = "virtio0"};
	text = shown_whole(explanation);
	assert_has(text, "the server sleeps in futex until virtio0 (irq 24) wakes it");
}

TEST(stopped_threads_are_not_asleep)
{
	struct explanation *explanation = explained_lock();
	char *text;

	explanation->row[1].call = CALL_STOPPED;
	text = shown_whole(explanation);
	assert_has(text,
		   "the server is stopped by a signal until worker (pid 62, nice 0) lets it go on");
	assert_has(text, " stopped until worker 1990.0 ");
}

/* Every clause and label is one, whatever the cost and the role. */
TEST(all_causes_have_words)
{
	for (int cost = 0; cost < NR_COSTS; cost++) {
		for (int role = 0; role < NR_CAUSE_ROLES; role++) {
			for (int class = 0; class < NR_BLAME_CLASSES; class ++) {
				struct explanation *explanation = explained_push();

				explanation->row[0].cost = explanation->row[1].cost = cost;
				explanation->row[1].role = role;
				explanation->row[1].by.class = class;
				assert_has(shown_whole(explanation), "In slow messages, ");
			}
		}
	}
}

TEST(one_message_is_not_called_the_slow_ones)
{
	struct explanation *explanation = explained_message();
	char *text = shown_whole(explanation);

	assert_has(text,
		   "In this message, the client waits for CPU 1 behind hog (pid 4711, RR 50): 97 "
		   "% of the difference, found in 2.4 % of the others, too. It (message 17/4211) "
		   "takes 812.5 us, 790.1 us more than");
	assert_has(text, "the message ---");
	assert_has_not(text, "what sets them apart");
	for (uint32_t i = 0; i < explanation->row_cnt; i++)
		explanation->row[i].base_units = 0;
	assert_has(shown_whole(explanation),
		   "97 % of the difference, found in none of the others. It");
}

/* A huge wait in one message must not pose as the cause of all. */
TEST(rare_culprits_are_called_rare)
{
	struct explanation *explanation = explained_push();
	char *text;

	explanation->row[1].slow_units = 1;
	explanation->row[1].largest_ns = 38500000;
	text = shown_whole(explanation);
	assert_has(text, "found in only 1 of the 50 and in 2.4 % of the others. One message alone "
			 "has most of that, 38.5 ms.");
}

TEST(a_smaller_part_has_a_second_culprit)
{
	struct explanation *explanation = explained_push();
	char *text;

	explanation->row[1].slow_ns = 301000;
	explanation->row[6].slow_ns = 200000;
	text = shown_whole(explanation);
	assert_has(text, ": the largest part, 38 % of the difference, found in 48");
	assert_has(text, " Next, 25 %: the client is interrupted by net_rx (softirq 3) in receive, "
			 "found in only 12 of the 50");
}

/* Components of several parts of a call may have the same culprit. */
TEST(parts_with_one_culprit_are_added_up)
{
	struct explanation *explanation = explained_lock();
	char *text;

	explanation->row[1].role = CAUSE_RAN;
	explanation->row[1].slow_ns = 1000000;
	explanation->row[8].role = CAUSE_RAN;
	explanation->row[8].by = explanation->row[1].by;
	explanation->row[8].slow_ns = 800000;
	explanation->row[8].slow_units = 40;
	explanation->row[1].slow_units = 30;
	text = shown_whole(explanation);
	assert_has(text, "behind worker (pid 62, nice 0)");
	assert_has(text, ": 89 % of the difference, found in at least 40 of the 50");
}

TEST(nothing_to_explain_says_why)
{
	static const char *const words[NR_EXPLAIN_OUTCOMES] = {
		[EXPLAIN_NO_UNITS] = "the recording has no rounds of this selection (slower than "
				     "1s). Select others",
		[EXPLAIN_NONE_SLOW] = "None of 7 rounds is slow (slower than 1s).",
		[EXPLAIN_NO_BASE] = "all of 7 rounds are slow (slower than 1s). Select fewer",
	};

	for (int i = EXPLAIN_NO_UNITS; i < NR_EXPLAIN_OUTCOMES; i++) {
		struct explanation *explanation = explained_nothing(i);

		if (!words[i])
			continue;

		assert_has(shown_whole(explanation), words[i]);
	}
}
