/* SPDX-License-Identifier: BSD-2-Clause */
/* What the first sentence of the text report says of calls. */
#include "support/build.h"
#include "support/page.h"
#include "support/sample.h"

#include <string.h>

/* 1000 calls, of whose requests and responses all time is of one component. */
static void put_calls(struct summary *summary, uint64_t request_ns, uint64_t service_ns,
		      uint64_t response_ns, enum component component)
{
	struct calls_summary *calls = &summary->calls;

	calls->count = calls->components.count = 1000;
	calls->messages = summary->integrity.matched;
	sample_forget_calls(summary);
	memset(calls->state_ns, 0, sizeof(calls->state_ns));
	for (uint64_t i = 0; i < calls->count; i++) {
		stat_add(&calls->request, request_ns);
		stat_add(&calls->service, service_ns);
		stat_add(&calls->response, response_ns);
		stat_add(&calls->round_trip, request_ns + service_ns + response_ns);
	}
	calls->state_cnt = calls->cut_tries = calls->count;
	calls->state_ns[SERVICE_ON_CPU] = service_ns * calls->count;
	calls->components.ns[component] = (request_ns + response_ns) * calls->count;
}

/* So much of the component's time is in requests, and in responses. */
static void put_ways(struct summary *summary, enum component component, uint64_t request_ns,
		     uint64_t response_ns)
{
	summary->channel[0].components.ns[component] = request_ns;
	summary->channel[1].components.ns[component] = response_ns;
}

static const struct blame hog = {
	.class = BLAME_TASK, .tid = 66, .ns = 900, .priority = 120, .comm = "hog"};

/* Whatever the messages of handshakes and other channels do. */
TEST(the_cause_names_the_leg_in_which_most_of_it_is)
{
	struct summary *summary = sample_attach();

	put_calls(summary, 10000, 10000, 80000, COMPONENT_BUSY);
	put_ways(summary, COMPONENT_BUSY, 5000, 95000);
	assert_shows(summary,
		     "90 % of call time is waiting while the receiver handles other things "
		     "(busy), nearly all in the response: psql (pid 812, tid 813) handles other "
		     "things, such as earlier requests, before it receives.");
	put_ways(summary, COMPONENT_BUSY, 20000, 80000);
	assert_shows(summary, "(busy), mostly in the response: psql");
	assert_shows(summary, "NEXT the client is busy when its answer comes: ");
	put_ways(summary, COMPONENT_BUSY, 80000, 20000);
	assert_shows(summary, "NEXT serve with more threads or processes, ");
	assert_shows(summary, "(busy), mostly in the request: postgres (pid 700, tid 701) handles");
}

/* If they are few, the messages are what is explained. */
TEST(few_calls_are_not_the_cause)
{
	struct summary *summary = sample_attach();

	put_calls(summary, 10000, 10000, 80000, COMPONENT_BUSY);
	summary->calls.messages = summary->integrity.matched / 10;
	assert_shows(summary, " of the latency is ");
	assert_shows_not(summary, "of call time");
}

/* A wait for a CPU is one, wherever it is. */
TEST(waits_of_messages_and_of_the_service_add_up)
{
	struct summary *summary = sample_attach();

	put_calls(summary, 20000, 60000, 20000, COMPONENT_RUNQUEUE);
	summary->calls.state_ns[SERVICE_ON_CPU] = 20000000;
	summary->calls.state_ns[SERVICE_RUNQUEUE] = 40000000;
	put_ways(summary, COMPONENT_RUNQUEUE, 100, 100);
	assert_shows(summary, "80 % of call time is waiting for a CPU, mostly in the "
			      "service: postgres (pid 700, tid 701) waits");
	assert_shows(summary, "q waiting for a CPU 80.0 80 %");
	assert_shows(summary, "c server runs 20.0 20 %");
}

/* Nearly all requests find it at other work. */
TEST(a_server_that_is_never_idle_is_saturated)
{
	struct summary *summary = sample_attach();

	put_calls(summary, 80000, 10000, 10000, COMPONENT_BUSY);
	put_ways(summary, COMPONENT_BUSY, 900000000, 0);
	summary->channel[0].awake = summary->channel[0].messages * 95 / 100;
	assert_shows_not(summary, "saturated"); /* what it did in its loop is not known, ... */
	summary->channel[0].loop = (struct loop_time){1000000, 400000, 0};
	assert_shows_not(summary, "saturated"); /* ... or of too little of its time */
	summary->channel[0].loop = (struct loop_time){1000000, 900000, 18000};
	assert_shows(summary, "postgres (pid 700, tid 701) is saturated: 95 % of requests find it "
			      "awake, and it sleeps for 2.0 % of the time.");
	summary->channel[0].loop.asleep_ns = 890000;
	assert_shows_not(summary, "saturated"); /* it is awake, as it has just been woken */
	summary->channel[0].loop.asleep_ns = 0;
	summary->channel[0].awake = summary->channel[0].messages / 2;
	assert_shows_not(summary, "saturated");
	summary->channel[0].messages = summary->channel[0].awake = 99;
	assert_shows_not(summary, "saturated"); /* too few to say so */
}

/* Whatever waited behind them: they are those of the row, too. */
TEST(the_culprits_are_those_of_all_waits)
{
	struct summary *summary = sample_attach();

	put_calls(summary, 80000, 10000, 10000, COMPONENT_RUNQUEUE);
	put_ways(summary, COMPONENT_RUNQUEUE, 900000000, 0);
	assert_shows(summary, "postgres (pid 700, tid 701) waits, mostly behind ipctrace-server "
			      "(pid 100, RR 99), the sender: 54 % of call time; then behind "
			      "client-1 (pid 101, RR 98): 27 %.");
	assert_shows(summary, " qqqqq ipctrace-s.. 54 %, 2 more 36 %");
}

/* From the first part of its answer to the last one the server is at work. */
TEST(what_the_server_does_between_parts_of_an_answer_is_the_cause)
{
	struct answer_parts *parts;
	struct summary *summary = sample_attach();

	put_calls(summary, 50000, 50000, 900000, COMPONENT_DISPATCH);
	parts = &summary->calls.parts;
	*parts = (struct answer_parts){
		.calls = 1000,
		.ns = 850000000,
		.did.state_ns = {[SERVICE_BLOCKED] = 600000000, [SERVICE_RUNQUEUE] = 200000000},
	};
	blame_top_add(&parts->did.blame, &hog, 1);
	assert_shows(summary,
		     "95 % of call time is time before the send call (dispatch): "
		     "postgres (pid 700, tid 701) sends the last part of its answer "
		     "850.0 us after the first one; for 75 % of that time it "
		     "slept; for 25 % it waited for a CPU, most of all behind hog (pid 66, "
		     "nice 0).");
	parts->did.state_ns[SERVICE_BLOCKED] = 1000;
	assert_shows(summary, "850.0 us after the first one.");
	parts->calls = 500;
	assert_shows(summary, "1700.0 us after the first one, in 50 % of the calls.");
}

/* The messages are explained, which are not a part of such calls. */
TEST(calls_with_several_open_are_no_headline)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	for (int i = 0; i < 1000; i++)
		stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, "each message (us)");
	assert_shows(summary,
		     "A call takes 7.0 us on average. What it consists of is not known: 1000 of ");
	assert_shows(summary, "several open 7.0 7.0 7.0 7.0 7.0");
}

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
	service->components.count = 1;
	service->components.ns[COMPONENT_RECEIVE] = 1000000;
	return service;
}

TEST(of_several_services_that_with_most_time_is_the_verdict)
{
	struct summary *summary = sample_attach();

	slow_xorg(summary);
	assert_shows(summary,
		     "80 % of call time is the server sleeping while it handles calls: Xorg "
		     "(pid 900) on @/tmp/.X11-unix/X0.");
	assert_shows(summary, "its calls (us)");
	assert_shows(summary, "all calls (us)");
	assert_shows(summary, "r receive 1000.0 20 %"); /* of its messages alone */
}

/* It is not that of all services together. */
TEST(of_several_services_each_has_its_own_culprit)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);
	struct blame most = hog;

	most.ns = 3000000;
	service->state_ns[SERVICE_RUNQUEUE] = 4000000;
	service->state_ns[SERVICE_BLOCKED] = 0;
	blame_top_add(&service->blame, &most, 1);
	summary->calls.state_ns[SERVICE_RUNQUEUE] = 1000000000;
	assert_shows(summary, "80 % of call time is waiting for a CPU, nearly all in the "
			      "service: Xorg (pid 900) on @/tmp/.X11-unix/X0 waits, mostly behind "
			      "hog (pid 66, nice 0): 60 % of call time.");
	assert_shows(summary, "hog 60 %, others 20 %");
	service->blame.cnt = 0;
	assert_shows(summary, "Xorg (pid 900) on @/tmp/.X11-unix/X0 waits.");
}

TEST(the_thread_that_has_nearly_all_of_the_work_is_named)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->worker = (struct end_summary){.pid = 900, .tid = 901, .comm = "InputThread"};
	service->worker_calls = 1;
	assert_shows(summary, ": InputThread (pid 900, tid 901) on @/tmp/.X11-unix/X0.");
	service->count = 2;
	assert_shows(summary, ": Xorg (pid 900) on @/tmp/.X11-unix/X0.");
}

TEST(a_proxy_has_calls_of_its_own_open)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->nests = 1;
	service->nested_ns = 3000000;
	service_callee_add(service, "/run/backend.sock", 1, 2900000);
	service_callee_add(service, "/run/cache.sock", 1, 100000);
	assert_shows(summary, "; for 75 % of the service it has a call of its own open, to "
			      "/run/backend.sock.");
	service_callee_add(service, "/run/cache.sock", 1, 1900000);
	service_callees_sort(service);
	service->nested_ns = 4000000;
	assert_shows(summary, " open, to /run/backend.sock 72 %, /run/cache.sock 50 %.");
	service->nested_ns = 1000000;
	assert_shows(summary, "@/tmp/.X11-unix/X0.");
}

/* The time of a backend is part of that of its proxy, however long it is. */
TEST(calls_that_are_made_in_the_service_of_others_come_last)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	service->nested = 1;
	strcpy(service->inside, "127.0.0.1:80");
	assert_shows_not(summary, ": Xorg (pid 900) on @/tmp/.X11-unix/X0");
}

static void add_slow_call(struct service_summary *service, uint64_t request_ns)
{
	stat_add(&service->round_trip, request_ns + 4500000);
	stat_add(&service->request, request_ns);
	stat_add(&service->service, 4000000);
	stat_add(&service->response, 500000);
	service->count = service->service.count;
}

/* It is known what the server did in one of two calls: those may not be like the others. */
TEST(states_of_few_calls_are_not_the_cause)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	add_slow_call(service, 500000);
	service->components.ns[COMPONENT_RECEIVE] *= 2;
	service->components.count = 2;
	service->state_ns[SERVICE_BLOCKED] = 3000000;
	assert_shows(summary, "50 % of call time is not known, as it is known for 50 % of "
			      "calls what Xorg (pid 900) on @/tmp/.X11-unix/X0 did in its service. "
			      "30 % is the server sleeping while it handles calls.");
	assert_shows(summary, "? not known 2500.0 50 %");
}

/* Their requests waited for a CPU. */
TEST(a_few_slow_calls_are_set_apart)
{
	struct summary *summary = sample_attach();
	struct service_summary *service = slow_xorg(summary);

	summary->calls.count = 1000;
	for (int i = 1; i < 200; i++)
		add_slow_call(service, i < 199 ? 500000 : 10000000000);
	service->components.count = 200;
	service->components.ns[COMPONENT_RUNQUEUE] = 10000000000;
	service->state_ns[SERVICE_BLOCKED] = 200 * 4000000ULL;
	service->state_cnt = 200;
	assert_shows(summary, " of call time is waiting for a CPU");
	assert_shows(summary, " The slowest 0.5 % of calls (");
	assert_shows(summary, " Without the slowest 1 %, the largest part is the service (80 %).");
}

/* One call in nine: they stand for the others. One in seventeen does not. */
TEST(some_calls_stand_for_those_with_several_open)
{
	struct summary *summary = sample_attach();

	summary->calls.messages = summary->integrity.matched;
	for (uint64_t i = 0; i < 8 * summary->calls.count; i++)
		stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, " of call time is ");
	assert_shows(summary, " This is of the calls without another open request: ");
	for (uint64_t i = 0; i < 8 * summary->calls.count; i++)
		stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, "What it consists of is not known: ");
	assert_shows_not(summary, " of call time is ");
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
	/* A few that do not balance, as at the start, say nothing of the others. */
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
	assert_shows(summary, "Xorg (pid 900) on @/tmp/.X11-unix/X0");
	service->open_several = 10;
	assert_shows_not(summary, ": Xorg (pid 900) on @/tmp/.X11-unix/X0");
}
