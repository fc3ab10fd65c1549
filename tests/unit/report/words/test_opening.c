/* SPDX-License-Identifier: BSD-2-Clause */
/* The first sentences of an explanation, and what to do. */
#include "report/words/opening_scene.h"

#include "model/blocked_calls.h"
#include "report/words/explain/remedies.h"

TEST(what_all_calls_wait_for_comes_first)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000);
		add_lock(62, "low", 900000);
		add_on_cpu(90000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_opening),
		   "In the service of a usual call (1000.1 us), the server sleeps in futex until "
		   "low (pid 62) wakes it: 90 % of that time.");
	assert_has(say(explain_slow_words), "slow ones (slowest 1%)");
	assert_has(say(explain_remedy_words), "a lock: hold the lock for less time");
}

TEST(a_wait_that_is_much_comes_before_work)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000);
		in_service(scene_wait(&scene, 7, "other", 340000));
		add_on_cpu(650000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), "the server waits for CPU 1 behind other");
	assert_has(say(explain_headline), ": 34 % of that time.");
	assert_has(say(explain_opening),
		   "Besides, 65 % in the service: the server runs its own code.");
}

TEST(a_wait_that_is_little_comes_after_work)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		add_call(1000000);
		in_service(scene_wait(&scene, 7, "other", 200000));
		add_on_cpu(790000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), "the server runs its own code: 79 % of that time.");
	assert_has(say(explain_remedy_words), "--stacks names the functions");
}

/* Calls to this thread, which wait for a CPU behind workers. */
static void add_calls_among_workers(const char *server)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		snprintf(add_call(1000000)->receiver.comm, RECORD_COMM_LEN, "%s", server);
		in_service(scene_wait(&scene, 7 + i % 2, i % 2 ? "worker-1" : "worker-0", 340000));
		add_on_cpu(650000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
}

TEST(workers_of_one_program_are_one_cause)
{
	of_calls();
	add_calls_among_workers("worker-0");
	assert_has(say(explain_headline), " or one like it: 34 % of that time.");
	assert_has(say(explain_remedy_words), "threads on too few CPUs: ");
}

TEST(workers_of_another_program_are_neighbours)
{
	add_calls_among_workers("web");
	assert_has(say(explain_headline), " or one like it: 34 % of that time.");
	assert_has(say(explain_remedy_words), "another program on the CPU: move that program ");
}

/* Another CPU idles for a part of the wait of 500 us. */
static void add_waits_beside_idle(uint64_t idle_ns)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		struct cause *cause;

		add_call(1000000);
		cause = in_service(scene_wait(&scene, 7, "hog", idle_ns));
		cause->reason = REASON_SPARE_FORBIDDEN;
		in_service(scene_wait(&scene, 7, "hog", 500000 - idle_ns));
		add_on_cpu(490000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
}

TEST(a_cpu_that_idles_for_a_part_of_the_wait_has_its_share)
{
	add_waits_beside_idle(350000);
	assert_has(say(explain_headline), "behind hog (pid 7), while CPU 0 idles, which it may not "
					  "use, 70 % of that wait: the largest part, 50 % of ");
	scene_free(&scene);
	add_waits_beside_idle(200000);
	assert_has(say(explain_headline), "which it may not use, 40 % of that wait: the largest ");
	scene_free(&scene);
	add_waits_beside_idle(50000);
	assert_has_not(say(explain_headline), "idles");
	assert_has(say(explain_headline), "behind hog (pid 7): the largest part, 50 % of that ");
	assert_has(say(explain_remedy_words), "another program on the CPU: move hog to another CPU "
					      "(taskset -acp <CPU> 7), or lower its priority (");
}

static enum turn_share shared_by = SHARE_SOCKET;

/* Calls that wait while the server serves a client, and a worker sleeps for a part of that time. */
static void add_turns(uint32_t before, double slept, uint32_t others)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		struct unit *unit = add_call(1000000);
		struct cause *cause = scene_wait(&scene, 61, "client", 900000);

		unit->turn = (struct unit_turn){
			.waited_ns = 900000,
			.before = before,
			.accepted = 20,
			.other = {.class = BLAME_TASK, .kind = SLICE_TASK, .tid = 62, .pid = 62},
			.other_ns = (uint64_t)(slept * 900000),
			.others = others,
			.share = shared_by,
		};
		memcpy(unit->turn.other.comm, "worker-b", 9);
		cause->part = PART_REQUEST;
		cause->cost = COMPONENT_BUSY;
		cause->role = CAUSE_KEPT;
		cause->call = CALL_UNKNOWN;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
}

TEST(calls_before_are_counted)
{
	add_turns(2, 0, 0);
	assert_has(say(explain_headline), " first (2.0 calls on average, one after another): ");
	assert_has_not(say(explain_opening), "sleep");
	assert_has(say(explain_remedy_words), "a server that serves others first");
}

TEST(a_thread_that_sleeps_meanwhile_is_named)
{
	add_turns(1, 0.99, 1);
	assert_has(say(explain_headline), " first (1.0 call on average), while worker-b (pid 62");
	assert_has(say(explain_headline),
		   "), which accepts from the same socket, sleeps for 99 % of that wait: ");
	assert_has(say(explain_opening), " The server has accepted 20 connections at once.");
	assert_has(say(explain_remedy_words), "accept one connection at a time");
}

TEST(of_several_threads_that_sleep_one_is_named)
{
	add_turns(12, 0.75, 4);
	assert_has(say(explain_headline), " first (12 calls on average, one after another), while "
					  "worker-b (pid 62");
	assert_has(say(explain_headline),
		   ") and 3 more, which accept from the same socket, sleep for 75 % of that wait");
}

static void add_turns_beside(enum turn_share share, uint32_t others)
{
	shared_by = share;
	add_turns(2, 0.9, others);
	shared_by = SHARE_SOCKET;
}

TEST(threads_in_one_epoll_are_said_to_be)
{
	add_turns_beside(SHARE_EPOLL, 1);
	assert_has(say(explain_headline),
		   "), which waits in the same epoll, sleeps for 90 % of that wait: ");
	assert_has_not(say(explain_opening), "at once.");
	assert_has(say(explain_remedy_words), "maxevents 1");
	assert_has_not(say(explain_remedy_words), "accept one connection at a time");
}

/* No thread could have got what is in another socket: the words are not those of one socket. */
TEST(sockets_of_one_port_are_said_to_be)
{
	add_turns_beside(SHARE_PORT, 3);
	assert_has(say(explain_headline), ") and 2 more, which have other sockets on the same port "
					  "(SO_REUSEPORT), sleep for 90 % of that wait: ");
	assert_has(say(explain_opening), " The kernel chooses one of these sockets by a hash of "
					 "the addresses, unless a BPF program does.");
	assert_has(say(explain_remedy_words), "SO_ATTACH_REUSEPORT_EBPF");
}

/* It serves most of the time. */
TEST(a_thread_that_sleeps_now_and_then_is_not_named)
{
	add_turns(3, 0.2, 0);
	assert_has_not(say(explain_opening), "worker-b");
	assert_has_not(say(explain_opening), "at once");
}

TEST(a_tail_says_how_much_time_it_has)
{
	of_calls();
	for (int i = 0; i < 1000; i++) {
		add_call(i % 100 ? 10000 : 10000000);
		if (!(i % 100))
			add_lock(62, "VM Thread", 9900000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), "91 % of the time of all calls is in the slowest 1% (10 "
					  "calls): in the service of these, the server sleeps in "
					  "futex until VM Thread");
	assert_has(say(explain_usual_words), "a usual call (10.5 us)");
}

/* Some of the slow ones have it, and what the usual ones wait for, too. */
TEST(a_tail_says_in_how_many_its_cause_is)
{
	of_calls();
	for (int i = 0; i < 1000; i++) {
		add_call(i % 250 ? 10000 : 90000000);
		if (!(i % 250))
			add_lock(62, "VM Thread", 89000000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   "(10 calls): in the service of 4 of these, the server sleeps in futex");
	assert_has(say(explain_without_words),
		   " (pid 62), the p99.9 of all would be 1001.0 us at best instead "
		   "of 90.0 ms");
}

/* A lock whose holder waits for a CPU for most of that time. */
TEST(what_is_followed_has_its_own_share_and_count)
{
	of_calls();
	for (int i = 0; i < 1000; i++) {
		struct cause *cause;

		add_call(i % 100 ? 100000 : 1000000);
		add_lock(62, "low", i % 100 ? 40000 : 900000);
		if (!(i % 100)) {
			cause = in_service(scene_wait(&scene, 63, "mid", 630000));
			cause->parent = 1;
		}
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_slow_words),
		   ", while low waits for CPU 1 behind mid (pid 63), 73 % of "
		   "that wait: 96 % of the difference, found in all 10 and "
		   "in none of the others.");
}

/* Beside an idle CPU, and not: that is one cause, and neither is most of the lock. */
TEST(what_is_followed_may_be_in_two_rows)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		struct cause *cause;

		add_call(1000000);
		add_lock(62, "low", 900000);
		cause = in_service(scene_wait(&scene, 63, "mid", 430000));
		cause->parent = 1;
		cause->reason = REASON_SPARE_FORBIDDEN;
		in_service(scene_wait(&scene, 63, "mid", 420000))->parent = 1;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   ", while low waits for CPU 1 behind mid (pid 63): 90 % of ");
}

TEST(of_few_units_the_slowest_has_its_cause)
{
	struct cause *cause;

	for (int i = 0; i < 8; i++) {
		scene_add(&scene, i * 600000000ULL, 250700000 + i);
		cause = scene_cause(&scene, COMPONENT_BLOCKED, CAUSE_ITSELF, 250000000);
		cause->call = 232; /* epoll_wait */
		cause->reason = REASON_TIMEOUT;
		cause->asked_ns = 250000000;
		scene_receive_rest(&scene);
	}
	snprintf(scene.choice.info.host.arch, sizeof(scene.choice.info.host.arch), "x86_64");
	scene_explain(&scene);
	assert_string_equal(say(explain_opening),
			    "In the slowest of 8 messages (250.7 ms), the receiver sleeps in "
			    "epoll_wait until its own timeout of 250.0 ms ends: 99.7 % of its "
			    "time. 8 messages are too few to say what is usual.");
	assert_has(say(explain_remedy_words), "a timeout of the thread's own: ");
}

TEST(what_a_thread_waits_for_at_the_end_of_a_chain_is_to_be_mended)
{
	of_calls();
	for (int i = 0; i < 200; i++) {
		struct cause *cause;

		add_call(1000000);
		add_lock(62, "peer", 900000)->call = 44; /* sendto */
		cause = in_service(scene_wait(&scene, 63, "stopper", 890000));
		cause->cost = COST_STOPPED;
		cause->role = CAUSE_WOKE;
		cause->parent = 1;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), ", while peer is stopped by a signal until stopper");
	assert_has(say(explain_remedy_words), "a thread that is stopped: ");
}

/* The page faults that a disk ends count while the thread runs. */
TEST(pages_that_have_to_be_read_are_counted)
{
	of_calls();
	for (int i = 0; i < 30; i++) {
		struct cause *cause;

		add_call(100000);
		cause = in_service(scene_cause(&scene, COMPONENT_BLOCKED, CAUSE_ITSELF, 60000));
		cause->reason = REASON_DISK_PAGE;
		cause->call = CALL_OUTSIDE;
		strcpy(cause->disk, "vda");
		in_service(scene_cause(&scene, COST_ON_CPU, CAUSE_ITSELF, 30000))->major = 24;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline), "sleeps until memory that is not there has been read "
					  "from vda, in 24 major page faults a call: 60 %");
	assert_has(say(explain_usual_words), "24 page faults a call, 24 of them major");
	assert_has(say(explain_remedy_words), "memory that is not there: ");
}

static struct cause *make_circle(struct cause *cause)
{
	cause->cost = COMPONENT_BLOCKED;
	cause->role = CAUSE_KEPT;
	cause->reason = REASON_CIRCLE_CALL;
	cause->call = 270; /* pselect6 */
	return cause;
}

/* What waits for a thread in a circle waits for a message of it. */
TEST(a_circle_at_the_end_of_a_chain_is_the_answer)
{
	of_calls();
	for (int i = 0; i < 30; i++) {
		struct cause *cause;

		add_call(100000);
		add_lock(62, "worker", 90000)->call = 45; /* recvfrom */
		cause = make_circle(in_service(scene_wait(&scene, 63, "service", 80000)));
		cause->asked_ns = 80000;
		cause->parent = 1;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   ", while worker waits in pselect6 for an answer of service (pid 63), "
		   "which waits for it: a circle, until its own timeout of 80.0 us ends: 90 %");
	assert_has(say(explain_remedy_words), "two that ask each other: ");
}

TEST(every_remedy_is_complete)
{
	for (int i = 0; i < NR_REMEDIES; i++) {
		assert_non_null(remedies[i].cause);
		assert_non_null(remedies[i].looks);
		assert_non_null(remedies[i].helps);
		assert_non_null(remedies[i].source);
	}
}

TEST(every_reason_has_a_remedy_of_its_kind)
{
	for (uint32_t reason = REASON_NONE + 1; reason < NR_CAUSE_REASONS; reason++) {
		const struct explain_row row = {.cost = COMPONENT_BLOCKED,
						.role = CAUSE_ITSELF,
						.call = CALL_UNKNOWN,
						.reason = reason};
		const struct lead lead = {.row = &row};

		/* A reason that is missing in the table would have the first row. */
		assert_in_range(remedy_of(&scene.explanation, &lead, false), REMEDY_OWN + 1,
				NR_REMEDIES - 1);
	}
}

/* Usual calls that are on the CPU, and slow ones that wait for a lock. */
static void add_calls(int cnt, uint64_t lock_ns, const char *holder)
{
	for (int i = 0; i < cnt; i++) {
		add_call(100000 + lock_ns);
		if (lock_ns)
			add_lock(62, holder, lock_ns);
		add_on_cpu(90000);
		scene_receive_rest(&scene);
	}
}

/* Two threads wait for each other in a few calls of many: however little of all time that is. */
static void add_circles(int cnt, uint64_t ns)
{
	for (int i = 0; i < cnt; i++) {
		add_call(ns + 10000);
		make_circle(in_service(scene_wait(&scene, 63, "worker", ns)));
		scene_receive_rest(&scene);
	}
}

/* The headline begins with the circle of these calls, and says the usual or slow ones, too. */
static void assert_circle_first(const char *begin, const char *others)
{
	const char *headline = say(explain_headline);

	assert_memory_equal(headline, begin, strlen(begin));
	assert_has(headline, ": a circle");
	assert_has(headline, others);
	assert_has(say(explain_opening), ": a circle");
	assert_has(say(explain_remedy_words), "two that ask each other: ");
}

TEST(a_circle_in_the_slowest_calls_comes_first)
{
	of_calls();
	add_calls(20000, 0, "");
	add_calls(190, 9000000, "low");
	add_circles(10, 60000000);
	scene_explain(&scene);
	assert_circle_first("In the service of the 10 slowest of 20200 calls",
			    "the server sleeps in futex until low (pid 62) wakes it");
}

TEST(a_circle_in_slow_calls_comes_before_usual_ones)
{
	of_calls();
	add_calls(500, 0, "");
	add_circles(4, 1000000);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.focus, FOCUS_USUAL);
	assert_circle_first("In the service of slow calls", " In the service of a usual call");
}

TEST(a_circle_that_takes_hardly_longer_does_not_come_first)
{
	const char *begin = "In the service of a usual call", *headline;

	of_calls();
	add_calls(500, 0, "");
	add_circles(4, 300000);
	scene_explain(&scene);
	headline = say(explain_headline);
	assert_memory_equal(headline, begin, strlen(begin));
	assert_has_not(headline, "circle");
}

TEST(the_headline_ends_with_calls_that_take_far_longer)
{
	of_calls();
	add_calls(20000, 0, "");
	add_calls(190, 9000000, "low");
	add_calls(10, 60000000, "dumper");
	scene_explain(&scene);
	assert_has(say(explain_headline), "the server sleeps in futex until low (pid 62) wakes it");
	assert_has(say(explain_headline),
		   " In the service of the 10 slowest of 20200 calls (60.1 ms or more), the server "
		   "sleeps in futex until dumper (pid 62) wakes it: 99.8 % of their time.");
	/* The same cause once more is not worth a sentence. */
	scene_free(&scene);
	of_calls();
	add_calls(20000, 0, "");
	add_calls(190, 9000000, "low");
	add_calls(10, 60000000, "low");
	scene_explain(&scene);
	assert_has_not(say(explain_headline), "slowest of");
}

/* What takes longest is ipctrace itself: the program's own cause comes next. */
TEST(the_tracer_hides_no_cause_of_the_program)
{
	of_calls();
	add_calls(20000, 0, "");
	add_calls(190, 9000000, "low");
	for (int i = 0; i < 10; i++) {
		add_call(60000000);
		in_service(scene_wait(&scene, 70, "ipctrace", 40000000))->by.class = BLAME_IPCTRACE;
		add_lock(62, "dumper", 19000000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   "behind ipctrace itself: 67 % of their time. Next, 32 % in "
		   "the service: the server sleeps in futex until dumper");
}

/* Or what it did once, for long, if that is little of what all of these take. */
TEST(the_tracer_hides_no_long_cause_of_one_call)
{
	of_calls();
	add_calls(40000, 0, "");
	add_calls(390, 400000, "low");
	for (int i = 0; i < 10; i++) {
		add_call(11000000);
		in_service(scene_wait(&scene, 70, "ipctrace", i ? 10000000 : 2000000))->by.class =
			BLAME_IPCTRACE;
		if (!i)
			add_lock(62, "dumper", 8000000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   "behind ipctrace itself: 83 % of their time. Apart from that, the longest time "
		   "in one call is 8000.0 us: in the service, the server sleeps in futex until "
		   "dumper");
}

/* Also where ipctrace itself is said of the slow calls already. */
TEST(the_tracer_hides_no_long_cause_behind_the_slow_calls)
{
	of_calls();
	add_calls(40000, 0, "");
	for (int i = 0; i < 400; i++) {
		uint64_t own_ns = i < 10 ? 10000000 : 400000;

		add_call(i ? own_ns : 8000000);
		if (i)
			in_service(scene_wait(&scene, 70, "ipctrace", own_ns))->by.class =
				BLAME_IPCTRACE;
		else
			add_lock(62, "dumper", 8000000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   "behind ipctrace itself: 100 % of the difference. Apart from that, the longest "
		   "time in one call is 8000.0 us: in the service, the server sleeps in futex "
		   "until dumper");
	assert_has_not(say(explain_headline), "slowest of");
}

/* A single one of hundreds of slow calls is little of their time, and of that of the slowest. */
TEST(the_longest_call_is_said_whatever_leads)
{
	of_calls();
	add_calls(40000, 0, "");
	add_calls(399, 2000000, "low");
	add_calls(1, 12000000, "dumper");
	scene_explain(&scene);
	assert_has(say(explain_headline),
		   " Apart from that, the longest time in one call is 12.0 ms: in the service, the "
		   "server sleeps in futex until dumper (pid 62) wakes it.");
	/* Not if it is no longer than others are, or was said. */
	scene_free(&scene);
	of_calls();
	add_calls(40000, 0, "");
	add_calls(399, 2000000, "low");
	add_calls(1, 9000000, "dumper");
	add_calls(1, 14000000, "low");
	scene_explain(&scene);
	assert_has_not(say(explain_headline), "longest time");
}

TEST(the_headline_ends_with_the_slow_calls_if_usual_ones_come_first)
{
	of_calls();
	add_calls(500, 0, "");
	add_calls(4, 1000000, "low");
	scene_explain(&scene);
	assert_int_equal(scene.explanation.focus, FOCUS_USUAL);
	assert_has(say(explain_headline), "In the service of a usual call");
	assert_has(say(explain_headline), " In the service of slow calls (900.5 us), the server "
					  "sleeps in futex until low (pid 62) wakes it: ");
	/* Slow ones that are like the others are not worth it. */
	scene_free(&scene);
	of_calls();
	add_calls(500, 0, "");
	add_calls(4, 300000, "low");
	scene_explain(&scene);
	assert_has_not(say(explain_headline), "slow calls");
}
