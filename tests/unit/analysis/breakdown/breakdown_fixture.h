/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiver's time lines, by hand. All tests share these instants unless they set others:
 *
 *	stamp    send   queued                          recv    user
 *	 1000    1100    1200                           2000    2100
 *	   |-------|-------|------------------------------|-------|
 *	                   |    enter at 500: the receiver has been in its call for long
 */
#pragma once

#include "support/build.h"

#include "analysis/breakdown/breakdown.h"

#include <string.h>

#define LINE_MAX (BREAKDOWN_SEGMENTS_MAX + 600)

static struct change line[LINE_MAX];
static struct breakdown_input in;
static struct breakdown breakdown;

static inline int setup(void **state)
{
	in = (struct breakdown_input){
		.has_stamp = true,
		.stamp_ns = 1000,
		.send_ns = 1100,
		.queued_ns = 1200,
		.enter_ns = 500,
		.recv_ns = 2000,
		.user_ns = 2100,
		.shows_switch = true,
		.timeline = {.change = line},
	};
	memset(&breakdown, 0xa5, sizeof(breakdown));
	return 0;
}

/* The receiver's next change. */
static inline void then(enum change_kind kind, uint64_t at_ns, uint16_t cpu)
{
	size_t i = in.timeline.cnt++;

	assert_true(i < LINE_MAX);
	line[i] = (struct change){
		.at_ns = at_ns, .index = i ? line[i - 1].index + 1 : 0, .cpu = cpu, .kind = kind};
	in.change_end = line[i].index + 1;
}

/* It is runnable from `wake_ns` on, switched to at `switch_ns`, and runs from `run_ns` on. */
static inline void wakes(uint64_t wake_ns, uint64_t switch_ns, uint64_t run_ns)
{
	then(CHANGE_WAKE, wake_ns, 0);
	then(CHANGE_SWITCH, switch_ns, 0);
	then(CHANGE_RUN, run_ns, 0);
}

static inline void assert_segments_cover_the_latency(void)
{
	uint64_t at_ns = in.has_stamp ? in.stamp_ns : in.send_ns;
	uint64_t sum[NR_COMPONENTS] = {0};

	for (uint32_t i = 0; i < breakdown.segment_cnt; i++) {
		const struct segment *segment = &breakdown.segment[i];

		assert_int_equal(segment->from_ns, at_ns);
		assert_true(segment->to_ns > at_ns);
		sum[segment->component] += segment->to_ns - segment->from_ns;
		at_ns = segment->to_ns;
	}
	assert_int_equal(at_ns, in.has_stamp ? in.user_ns : in.recv_ns);
	assert_memory_equal(sum, breakdown.component_ns, sizeof(sum));
	assert_int_equal(breakdown.latency_ns, sum_of(sum, NR_COMPONENTS));
}

/* What lies between `queued` and `recv`. */
struct cut {
	uint64_t wakeup, runqueue, switching, busy, blocked, receive;
};

static inline void check_cut(enum path path, struct cut cut)
{
	assert_int_equal(breakdown_cut(&in, &breakdown), 0);
	assert_segments_cover_the_latency();
	assert_int_equal(breakdown.path, path);
	assert_int_equal(breakdown.component_ns[COMPONENT_SEND_PATH], in.queued_ns - in.send_ns);
	assert_int_equal(breakdown.component_ns[COMPONENT_WAKEUP], cut.wakeup);
	assert_int_equal(breakdown.component_ns[COMPONENT_RUNQUEUE], cut.runqueue);
	assert_int_equal(breakdown.component_ns[COMPONENT_SWITCH], cut.switching);
	assert_int_equal(breakdown.component_ns[COMPONENT_BUSY], cut.busy);
	assert_int_equal(breakdown.component_ns[COMPONENT_BLOCKED], cut.blocked);
	assert_int_equal(breakdown.component_ns[COMPONENT_RECEIVE], cut.receive);
}

static inline void assert_incomplete(enum incomplete reason)
{
	assert_int_equal(breakdown_cut(&in, &breakdown), -(1 + (int)reason));
}

/* assert_cut(PATH_SLEPT, .wakeup = 50, .receive = 750): all others are 0. */
#define assert_cut(path, ...) check_cut(path, (struct cut){__VA_ARGS__})

EACH_TEST(setup, NULL)
