/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of priorities: each policy has its own, and a number that is none of it has none. */
#include "support/build.h"

#include "model/cause.h"
#include "report/words/labels.h"

#include <linux/sched.h>

static const char *scheduling(uint32_t policy, int32_t priority)
{
	static char text[NAME_LEN];
	struct blame blame = {.class = BLAME_TASK,
			      .kind = SLICE_TASK,
			      .policy = policy,
			      .priority = (uint32_t)priority,
			      .comm = "hog"};

	blame_scheduling(&blame, text);
	return text;
}

/* The numbers are the kernel's: a deadline has -1. */
TEST(every_policy_has_its_words)
{
	assert_string_equal(scheduling(SCHED_NORMAL, 120), "nice 0");
	assert_string_equal(scheduling(SCHED_NORMAL, 100), "nice -20");
	assert_string_equal(scheduling(SCHED_NORMAL, 139), "nice 19");
	assert_string_equal(scheduling(SCHED_BATCH, 125), "batch, nice 5");
	assert_string_equal(scheduling(SCHED_RR, 0), "RR 99");
	assert_string_equal(scheduling(SCHED_FIFO, 98), "FIFO 1");
	assert_string_equal(scheduling(SCHED_DEADLINE, -1), "deadline");
	assert_string_equal(scheduling(SCHED_IDLE, 120), "policy idle");
}

/* Policy and priority of a thread are read one after the other: it may change them in between. */
TEST(a_priority_of_another_policy_is_none)
{
	assert_string_equal(scheduling(SCHED_NORMAL, 0), "");
	assert_string_equal(scheduling(SCHED_NORMAL, 49), "");
	assert_string_equal(scheduling(SCHED_NORMAL, -1), "");
	assert_string_equal(scheduling(SCHED_BATCH, 140), "");
	assert_string_equal(scheduling(SCHED_RR, 120), "");
	assert_string_equal(scheduling(SCHED_FIFO, -1), "");
}

/* Its threads have several names and priorities: "ipctrace (nice -120)" would be none of them. */
TEST(all_threads_of_ipctrace_have_one_title)
{
	struct blame reader = {.class = BLAME_IPCTRACE,
			       .kind = SLICE_TASK,
			       .policy = SCHED_RR,
			       .tid = 12,
			       .comm = "ipctrace-reader"};
	struct blame all = culprit_folded(&reader);
	char title[NAME_LEN];

	blame_title(&reader, title);
	assert_string_equal(title, "ipctrace-reader (RR 99)");
	blame_title(&all, title);
	assert_string_equal(title, "ipctrace itself");
	blame_scheduling(&all, title);
	assert_string_equal(title, "");
}
