/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a mean unit add up to it, and what had the CPU adds up to the wait for it. */
#include "support/build.h"
#include "support/sample.h"

#include "insight/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct focus focus;
static struct whole whole;

static void cut(const struct summary *summary)
{
	assert_int_equal(focus_on_service(&focus, summary), 0);
	assert_int_equal(whole_of(&whole, &focus), 0);
}

static void clean(void)
{
	whole_clean(&whole);
	focus_clean(&focus);
}

static void assert_adds_up(void)
{
	double ns = 0, service_ns = 0;

	for (uint32_t i = 0; i < whole.cnt; i++) {
		ns += whole.part[i].ns;
		service_ns += whole.part[i].service_ns;
	}
	assert_true(fabs(ns - whole.all_ns) < 1);
	if (whole.unit == WHOLE_CALL)
		assert_true(fabs(service_ns - stat_mean(&whole.summary->calls.service)) < 1);
}

static double part_ns(enum whole_kind kind, int which)
{
	for (uint32_t i = 0; i < whole.cnt; i++) {
		if (whole.part[i].kind == kind && whole.part[i].which == which)
			return whole.part[i].ns;
	}
	return 0;
}

/* 1000 calls of 100 us, 40 of them in the service. */
static struct summary *make_calls(void)
{
	struct summary *summary = sample_attach();
	struct calls_summary *calls = &summary->calls;

	sample_forget_calls(summary);
	for (int i = 0; i < 1000; i++) {
		stat_add(&calls->request, 50000);
		stat_add(&calls->service, 40000);
		stat_add(&calls->response, 10000);
		stat_add(&calls->round_trip, 100000);
	}
	calls->count = calls->components.count = calls->state_cnt = 1000;
	calls->messages = summary->integrity.matched;
	calls->components.ns[COMPONENT_RUNQUEUE] = 45000000;
	calls->components.ns[COMPONENT_RECEIVE] = 15000000;
	memset(calls->state_ns, 0, sizeof(calls->state_ns));
	calls->state_ns[SERVICE_RUNQUEUE] = 30000000;
	calls->state_ns[SERVICE_ON_CPU] = 10000000;
	return summary;
}

TEST(the_parts_of_a_message_are_its_components)
{
	struct summary *summary = sample_summary(5);

	cut(summary);
	assert_int_equal(whole.unit, WHOLE_MESSAGE);
	assert_true(whole.stat == &focus.summary.latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_true(part_ns(WHOLE_COMPONENT, i) == stat_mean(&summary->component[i]));
	assert_adds_up();
	clean();
}

TEST(a_call_waits_for_a_cpu_in_its_messages_and_in_its_service)
{
	cut(make_calls());
	assert_int_equal(whole.unit, WHOLE_CALL);
	assert_true(part_ns(WHOLE_COMPONENT, COMPONENT_RUNQUEUE) == 75000);
	assert_true(part_ns(WHOLE_COMPONENT, COMPONENT_RECEIVE) == 15000);
	assert_true(part_ns(WHOLE_STATE, SERVICE_ON_CPU) == 10000);
	assert_int_equal(whole_largest(&whole)->which, COMPONENT_RUNQUEUE);
	assert_true(whole_largest(&whole)->service_ns == 30000);
	assert_adds_up();
	clean();
}

/* What is known of half of the calls is not said of the others. */
TEST(what_is_not_known_is_a_part)
{
	struct summary *summary = make_calls();
	struct calls_summary *calls = &summary->calls;

	calls->components.count = calls->state_cnt = 500;
	for (int i = 0; i < NR_COMPONENTS; i++)
		calls->components.ns[i] /= 2;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		calls->state_ns[i] /= 2;
	cut(summary);
	assert_true(part_ns(WHOLE_UNKNOWN, 0) == 50000);
	assert_true(part_ns(WHOLE_COMPONENT, COMPONENT_RUNQUEUE) == 37500);
	assert_adds_up();
	clean();
}

/* Older recordings have no components of calls: those of all messages stand for them. */
TEST(components_of_all_messages_can_stand_for_those_of_calls)
{
	struct summary *summary = make_calls();
	double all_ns = 0, runqueue_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum;

	for (int i = 0; i < NR_COMPONENTS; i++)
		all_ns += (double)summary->component[i].sum;
	summary->calls.components = (struct component_sum){0};
	cut(summary);
	assert_true(fabs(part_ns(WHOLE_COMPONENT, COMPONENT_RUNQUEUE) -
			 (60000 * runqueue_ns / all_ns + 30000)) < 1);
	assert_adds_up();
	clean();
}

/* Services that were cut may also be of calls that do not count. */
TEST(states_of_further_calls_are_scaled)
{
	struct summary *summary = make_calls();

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		summary->calls.state_ns[i] *= 2;
	cut(summary);
	assert_true(part_ns(WHOLE_STATE, SERVICE_ON_CPU) == 10000);
	assert_adds_up();
	clean();
}

/* The wait of a call is in its messages and in its service. */
TEST(what_had_the_cpu_adds_up_to_the_wait)
{
	struct blame_summary hog = {
		.total = {.class = BLAME_TASK, .tid = 66, .ns = 30000000, .comm = "hog"}};
	struct summary *summary = make_calls();
	double ns = 0;

	summary->calls.blame = calloc(1, sizeof(hog));
	assert_non_null(summary->calls.blame);
	summary->calls.blame[0] = hog;
	summary->calls.blame_cnt = 1;
	cut(summary);
	for (uint32_t i = 0; i < whole.blame_cnt; i++)
		ns += (double)whole.blame[i].total.ns;
	assert_true(fabs(whole_share(&whole, ns) - .75) < .001);
	clean();
}

/* The messages of other services are none of these. */
TEST(of_several_services_the_messages_of_one_count)
{
	struct summary *summary = sample_attach();
	struct service_summary *service;

	sample_services(summary);
	service = &summary->calls.service_of[1];
	service->count = service->components.count = 1;
	stat_add(&service->round_trip, 5000000);
	stat_add(&service->request, 500000);
	stat_add(&service->service, 4000000);
	stat_add(&service->response, 500000);
	service->components.ns[COMPONENT_WAKEUP] = 1000000;
	summary->channel[0].receiver.pid = service->server.pid;
	cut(summary);
	assert_true(focus.is_one_of_several);
	assert_int_equal(whole.unit, WHOLE_CALL);
	assert_int_equal(focus.summary.channel_cnt, 1);
	assert_true(part_ns(WHOLE_COMPONENT, COMPONENT_WAKEUP) == 1000000);
	assert_true(part_ns(WHOLE_UNKNOWN, 0) == 4000000);
	assert_adds_up();
	clean();
}

/* 10 of 1010 calls take 100 times as long as the others, which have the median. */
TEST(slow_units_have_their_share_of_all_time)
{
	struct summary *summary = make_calls();
	struct whole_tail tail;

	cut(summary);
	tail = whole_tail(&whole);
	assert_true(tail.units == 0 && tail.ns == 0);
	clean();
	for (int i = 0; i < 10; i++)
		stat_add(&summary->calls.round_trip, 10000000);
	summary->calls.count += 10;
	cut(summary);
	tail = whole_tail(&whole);
	assert_true(fabs(tail.units - 10 / 1010.) < 1e-9);
	assert_true(fabs(tail.ns - .5) < .02);
	assert_in_range(tail.from_ns, 9500000, 10000000);
	clean();
}
