/* SPDX-License-Identifier: BSD-2-Clause */
/* What the first sentence of the text report says of calls. */
#include "support/build.h"
#include "support/page.h"
#include "support/sample.h"

#include <string.h>

/* Whatever the messages of handshakes and other channels do. */
TEST(of_calls_the_longest_way_is_the_verdict)
{
	struct summary *summary = sample_attach();
	struct component_sum *back;

	for (int i = 0; i < 1000; i++) {
		stat_add(&summary->calls.round_trip, 100000);
		stat_add(&summary->calls.response, 80000);
		stat_add(&summary->calls.response_first, 80000);
	}
	back = &summary->channel[1].components;
	memset(back->ns, 0, sizeof(back->ns));
	back->ns[COMPONENT_BUSY] = 90 * back->count;
	back->ns[COMPONENT_RECEIVE] = 10 * back->count;
	assert_shows(summary, "of the mean latency"); /* few messages are of calls */
	summary->calls.messages = summary->integrity.matched;
	assert_shows(summary,
		     "is the response, the way back to the client. Nearly all of that (90 %) is "
		     "busy: psql (pid 812, tid 813) runs other code before it receives.");
}

/* Calls that are mostly the way to the server. */
static struct summary *slow_requests(void)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	for (int i = 0; i < 1000; i++) {
		stat_add(&summary->calls.round_trip, 100000);
		stat_add(&summary->calls.request, 80000);
	}
	return summary;
}

static const struct blame hog = {
	.class = BLAME_TASK, .tid = 66, .ns = 900, .priority = 120, .comm = "hog"};

/* Nearly all requests find it at other work. */
TEST(a_server_that_is_never_idle_is_saturated)
{
	struct summary *summary = slow_requests();

	summary->channel[0].components.ns[COMPONENT_BUSY] = 900000000;
	summary->channel[0].awake = summary->channel[0].messages * 95 / 100;
	assert_shows_not(summary, "saturated"); /* what it did in its loop is not known, ... */
	summary->channel[0].loop = (struct loop_time){1000000, 400000, 0};
	assert_shows_not(summary, "saturated"); /* ... or of too little of its time */
	summary->channel[0].loop = (struct loop_time){1000000, 900000, 18000};
	assert_shows(summary, ". 95 % of requests find the server awake, and it sleeps for 2.0 % "
			      "of the time: it is saturated.");
	summary->channel[0].loop.asleep_ns = 890000;
	assert_shows_not(summary, "saturated"); /* it is awake, as it has just been woken */
	summary->channel[0].loop.asleep_ns = 0;
	summary->channel[0].awake = summary->channel[0].messages / 2;
	assert_shows_not(summary, "saturated");
	summary->channel[0].messages = summary->channel[0].awake = 99;
	assert_shows_not(summary, "saturated"); /* too few to say so */
}

/* Of all messages what ran instead is exact: it counts if nearly all waits are on this way. */
TEST(the_culprit_of_a_way_is_named)
{
	struct summary *summary = slow_requests();

	summary->channel[0].components.ns[COMPONENT_RUNQUEUE] = 900000000;
	assert_shows(summary, "is the request, the way to the server.");
	assert_shows(summary, "postgres (pid 700, tid 701) waits for a CPU, first of all "
			      "behind ipctrace-server (pid 100, RR 99), the sender.");
	summary->channel[0].components.ns[COMPONENT_RUNQUEUE] = 1000;
	for (int i = 0; i < NR_COMPONENTS; i++)
		summary->channel[0].components.ns[i] = i == COMPONENT_RUNQUEUE ? 1000 : 0;
	assert_shows(summary, "postgres (pid 700, tid 701) waits for a CPU.");
	blame_top_add(&summary->channel[0].blame, &hog, 1);
	assert_shows(summary, "postgres (pid 700, tid 701) waits for a CPU, mostly behind hog "
			      "(pid 66, nice 0).");
}

/* From the first part of its answer to the last one the server is at work. */
TEST(what_the_server_does_between_parts_of_an_answer_is_the_verdict)
{
	struct answer_parts *parts;
	struct summary *summary = slow_requests();

	parts = &summary->calls.parts;
	for (int i = 0; i < 1000; i++)
		stat_add(&summary->calls.response, 900000);
	summary->calls.count = 1000;
	*parts = (struct answer_parts){
		.calls = 1000,
		.ns = 850000000,
		.did.state_ns = {[SERVICE_BLOCKED] = 600000000, [SERVICE_RUNQUEUE] = 200000000},
	};
	blame_top_add(&parts->did.blame, &hog, 1);
	assert_shows(summary, "is the response: ");
	assert_shows(summary, " sends the last part of its answer 850.0 us after the first one; "
			      "for 75 % of that time it slept; for 25 % it waited for a CPU, first "
			      "of all behind hog (pid 66, nice 0).");
	parts->did.state_ns[SERVICE_BLOCKED] = 1000;
	assert_shows(summary, "850.0 us after the first one.");
	parts->calls = 500;
	assert_shows(summary, "1700.0 us after the first one, in 50 % of the calls.");
}

TEST(an_answer_in_parts_is_the_verdict)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	for (int i = 0; i < 100000; i++) {
		stat_add(&summary->calls.round_trip, 100000);
		stat_add(&summary->calls.response, 80000);
		stat_add(&summary->calls.response_first, 10000);
	}
	assert_shows(summary,
		     "is the response, the way back to the client: its first part takes 10.0");
	assert_shows(summary, " us pass until its last one has arrived.");
}

TEST(calls_with_several_open_are_no_headline)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	for (int i = 0; i < 1000; i++)
		stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, "of the mean latency");
	assert_shows(summary,
		     "A call takes 7.0 us on average. What it consists of is not known: 1000 of ");
	assert_shows(summary, "several open 7.0 7.0 7.0 7.0 7.0");
}

/* Most calls are of the other one. */
/* Few calls to Xorg, but with more time than all others together. */
static struct service_summary *slow_xorg(struct summary *summary)
{
	struct service_summary *service;

	sample_services(summary);
	service = &summary->calls.service_of[1];
	service->count = 1;
	stat_add(&service->round_trip, 5000000);
	stat_add(&service->request, 500000);
	stat_add(&service->service, 4000000);
	stat_add(&service->response, 500000);
	service->state_cnt = 1;
	service->state_ns[SERVICE_BLOCKED] = 4000000;
	return service;
}

TEST(of_several_services_that_with_most_time_is_the_verdict)
{
	struct summary *summary = sample_attach();

	slow_xorg(summary);
	assert_shows(
		summary,
		"Most of a call (80 %) is the service: Xorg (pid 900) on @/tmp/.X11-unix/X0 takes "
		"4000.0 us to answer; for 100 % of that time it slept.");
	assert_shows(summary, "its calls (us)");
	assert_shows(summary, "all calls (us)");
}

/* It is not that of all services together. */
TEST(of_several_services_each_has_its_own_culprit)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->state_ns[SERVICE_RUNQUEUE] = 4000;
	service->state_ns[SERVICE_BLOCKED] = 0;
	blame_top_add(&service->blame, &hog, 1);
	summary->calls.state_ns[SERVICE_RUNQUEUE] = 1000000;
	assert_shows(summary, "it waited for a CPU, first of all behind hog (pid 66, nice 0).");
	assert_shows(summary, "service waiting for a CPU: hog (pid 66, nice 0) ");
	assert_shows(summary, "others ");
	service->blame.cnt = 0;
	assert_shows(summary, "for 100 % of that time it waited for a CPU.");
	assert_shows(summary, "and what ran there is not known");
}

TEST(the_thread_that_has_nearly_all_of_the_work_is_named)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->worker = (struct end_summary){.pid = 900, .tid = 901, .comm = "InputThread"};
	service->worker_calls = 1;
	assert_shows(summary, "the service: InputThread (pid 900, tid 901) on @/tmp/.X11-unix/X0");
	service->count = 2;
	assert_shows(summary, "the service: Xorg (pid 900) on @/tmp/.X11-unix/X0");
}

TEST(a_proxy_has_calls_of_its_own_open)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->nests = 1;
	service->nested_ns = 3000000;
	service_callee_add(service, "/run/backend.sock", 1, 2900000);
	service_callee_add(service, "/run/cache.sock", 1, 100000);
	assert_shows(summary, "; for 75 % of that time it has a call of its own open, to "
			      "/run/backend.sock.");
	service_callee_add(service, "/run/cache.sock", 1, 1900000);
	service_callees_sort(service);
	service->nested_ns = 4000000;
	assert_shows(summary, " open, to /run/backend.sock 72 %, /run/cache.sock 50 %.");
	service->nested_ns = 1000000;
	assert_shows(summary, "; for 100 % of that time it slept.");
}

/* The time of a backend is part of that of its proxy, however long it is. */
TEST(calls_that_are_made_in_the_service_of_others_come_last)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->nested = 1;
	strcpy(service->inside, "127.0.0.1:80");
	assert_shows_not(summary, "Xorg (pid 900) on @/tmp/.X11-unix/X0 takes");
}

/* It is known what the server did in one of two calls: those may not be like the others. */
TEST(states_of_few_calls_are_not_the_verdict)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->count = 2;
	stat_add(&service->round_trip, 5000000);
	stat_add(&service->request, 500000);
	stat_add(&service->service, 4000000);
	stat_add(&service->response, 500000);
	assert_shows(summary, "takes 4000.0 us to answer; what it did is known for only 50 % of "
			      "calls.");
}

/* Their requests waited for a CPU. */
TEST(a_few_slow_calls_do_not_move_the_verdict)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	summary->calls.count = 1000;
	service->count = 200;
	for (int i = 1; i < 200; i++) {
		stat_add(&service->round_trip, 5000000);
		stat_add(&service->request, i < 199 ? 500000 : 10000000000);
		stat_add(&service->service, 4000000);
		stat_add(&service->response, 500000);
	}
	assert_shows(summary, "Without the slowest 1 % of calls: Most of a call (80 %) is the "
			      "service: Xorg (pid 900)");
}

/* One call in nine: they stand for the others. One in seventeen does not. */
TEST(some_calls_stand_for_those_with_several_open)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	for (uint64_t i = 0; i < 8 * summary->calls.count; i++)
		stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, " of a call (");
	assert_shows(summary, " This is of the calls without another open request: ");
	for (uint64_t i = 0; i < 8 * summary->calls.count; i++)
		stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, "What it consists of is not known: ");
	assert_shows_not(summary, " of a call (");
}

/* With several open, some request had no answer, or some answer no request. */
TEST(calls_without_a_balance_have_no_mean)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	summary->calls.unbalanced = 20 * summary->calls.count;
	assert_shows(summary, "How long a call takes is not known: 2000 of 2100 calls had several "
			      "requests open on their connection, and requests and answers do not "
			      "balance.");
	assert_shows(summary, "; no time is known of 2000 of 2100 calls: requests and answers do "
			      "not balance");
	assert_shows(summary, "for 2000 of 2100 calls not even the mean is known");
	assert_shows_not(summary, " on average. What it consists of");
	/* A few that do not balance, as at the begin, say nothing of the others. */
	for (int i = 0; i < 2000; i++)
		stat_add(&summary->calls.open_several, 4000000);
	assert_shows(summary, "How long a call takes is not known: 4000 of 4100 calls");
	summary->calls.unbalanced = 20;
	assert_shows(summary, "A call takes 4000.0 us on average. What it consists of is not "
			      "known: 2020 of 2120 calls had several requests open on their "
			      "connection.");
	assert_shows(summary, "; no time is known of 20 of 2120 calls");
	summary->calls.unbalanced = 0;
	assert_shows_not(summary, "balance");
}

/* An answer of two messages leaves one without a request each time; a greeting does so once. */
TEST(answers_of_several_messages_are_not_in_turn)
{
	struct summary *summary = sample_attach();

	summary->calls.unasked = summary->calls.count;
	assert_shows_not(summary, "--calls fifo takes each message");
	summary->info.calls_in_turn = true;
	assert_shows(summary, "; 100 answers had no request left: --calls fifo takes each message "
			      "for one request or one answer, which is not so here");
	summary->calls.unasked = 1;
	assert_shows_not(summary, "--calls fifo takes each message");
}

/* The few of its calls that are timed say nothing of the others. */
TEST(a_service_of_which_few_calls_are_timed_is_no_headline)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	stat_add(&summary->calls.round_trip, 5000000);
	service->open_several = 9;
	assert_shows(summary, "is the service: Xorg (pid 900)");
	service->open_several = 10;
	assert_shows_not(summary, "is the service: Xorg (pid 900)");
}
