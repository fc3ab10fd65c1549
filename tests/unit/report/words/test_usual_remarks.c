/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of usual units beyond their rows. */
#include "report/words/opening_scene.h"

#define ACCEPT4 288 /* x86-64 */

TEST(repeated_calls_are_the_cause)
{
	static const struct unit_service service = {.nested = 200,
						    .nested_ns = 960000,
						    .are_nested_apart = true,
						    .callee = "backend on @b",
						    .callee_calls = 200};

	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->service = &service;
		add_lock(62, "backend", 700000);
		add_on_cpu(290000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_string_equal(say(explain_headline),
			    "In the service of a usual call (1000.1 us), the server makes 200 "
			    "calls of 4.8 us to backend on @b, one after another: 96 % of that "
			    "time.");
	assert_has(say(explain_opening), " Meanwhile, the server sleeps in futex until backend");
	assert_has(say(explain_remedy_words), "many calls, one after another: ask for all of it");
}

TEST(calls_to_many_services_are_a_repetition_too)
{
	static const struct unit_service service = {.nested = 8,
						    .nested_ns = 960000,
						    .are_nested_apart = true,
						    .callee = "backend-0 on @b",
						    .callee_calls = 1};

	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->service = &service;
		add_lock(62, "backend-0", 120000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), "the server makes 8 calls of 120.0 us to backend-0 on @b "
					  "and others, one after another: 96 % of that time.");
}

TEST(calls_at_the_same_time_are_no_repetition)
{
	static const struct unit_service service = {
		.nested = 8, .nested_ns = 960000, .callee = "backend-0 on @b", .callee_calls = 8};

	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->service = &service;
		add_lock(62, "backend-0", 960000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), "the server sleeps in futex until backend-0");
	assert_has_not(say(explain_remedy_words), "one after another");
}

TEST(few_calls_to_another_service_are_no_repetition)
{
	static const struct unit_service service = {.nested = 2,
						    .nested_ns = 960000,
						    .are_nested_apart = true,
						    .callee = "backend on @b",
						    .callee_calls = 2};

	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->service = &service;
		add_lock(62, "backend", 700000);
		add_on_cpu(290000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has_not(say(explain_opening), "one after another");
}

/* The calls of a client whose connections wake so many threads in vain. */
static void add_calls_in_vain(uint32_t wakes, uint64_t cpu_ns)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->vain =
			(struct unit_vain){.wakes = wakes, .cpu_ns = cpu_ns, .call = ACCEPT4};
		add_on_cpu(990000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
}

TEST(threads_that_are_woken_in_vain_are_the_cause)
{
	add_calls_in_vain(39, 790000);
	assert_string_equal(say(explain_headline),
			    "Each call wakes 39 threads in vain (accept4 finds nothing), which "
			    "takes 790.0 us of CPU time; a usual call takes 1000.1 us.");
	assert_has(say(explain_opening), " Meanwhile, the server runs its own code");
	assert_has(say(explain_remedy_words), "wakes in vain: EPOLLEXCLUSIVE");
}

TEST(threads_that_a_broadcast_wakes_are_the_cause)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->vain = (struct unit_vain){
			.wakes = 39, .cpu_ns = 790000, .call = FUTEX, .in_futex = true};
		add_on_cpu(990000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   "Each call wakes 39 threads in futex, which sleep there again without any "
		   "other call, which takes 790.0 us of CPU time; ");
	assert_has(say(explain_remedy_words), "a broadcast to many threads: wake one thread");
}

/* It costs next to nothing, or is one thread, which may be a timer that came too late. */
TEST(wakes_that_take_little_time_are_no_cause)
{
	add_calls_in_vain(39, 100000);
	assert_has_not(say(explain_opening), "in vain");
	assert_has_not(say(explain_remedy_words), "in vain");
}

/* Another thread accepts, and starts the one that receives. */
TEST(connections_that_are_accepted_late_say_so)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		struct unit *unit = add_call(1000000);

		unit->opening_ns = 900000;
		unit->connect_ns = 40000;
		scene_cause(&scene, COMPONENT_BUSY, CAUSE_ITSELF, 960000)->part = PART_REQUEST;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_string_equal(say(explain_headline),
			    "Each call opens a connection, which waits 860.0 us until it is "
			    "accepted: 86 % of its time (1000.1 us).");
	assert_has(say(explain_remedy_words), "connections that are accepted late: ");
}

/* `opening_ns` of each call passes until its new connection is open; 0: it opens none. */
static void add_calls_that_open(uint64_t opening_ns, int others)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->opening_ns = i % 10 < others ? 0 : opening_ns;
		add_on_cpu(990000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
}

TEST(calls_that_open_a_connection_say_so)
{
	add_calls_that_open(410000, 0);
	assert_string_equal(say(explain_headline),
			    "Each call opens a connection: 41 % of its time (1000.1 us).");
	assert_has(say(explain_remedy_words), "a connection for each call: keep connections");
}

TEST(connections_that_take_little_time_are_no_cause)
{
	add_calls_that_open(110000, 0);
	assert_has_not(say(explain_opening), "opens a connection");
}

TEST(what_a_new_connection_waits_for_says_more_than_that_it_is_new)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000)->opening_ns = 900000;
		add_lock(62, "low", 800000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has_not(say(explain_opening), "opens a connection");
	assert_has_not(say(explain_remedy_words), "a connection for each call");
	assert_has(say(explain_headline), "until low (pid 62) wakes it: 80 % of that time.");
}

TEST(some_calls_that_open_a_connection_are_not_each)
{
	add_calls_that_open(900000, 5);
	assert_has_not(say(explain_opening), "opens a connection");
}

TEST(one_thread_is_no_herd)
{
	add_calls_in_vain(1, 900000);
	assert_has_not(say(explain_opening), "in vain");
}
