/* SPDX-License-Identifier: BSD-2-Clause */
/* The causes of messages, rounds and calls of a run. */
#include "analysis/run_fixture.h"

#include "bpf/deep.h"
#include "support/heard_units.h"

#define STAMP 100000

enum { IRQ = 7 };

#define CAUSE(...) cause_of(unit, (struct asked_cause){__VA_ARGS__})->by.ns

static const struct unit *unit;

/*
 *	stamp  sends to 1                                        sends to 2
 *	  0       100 .. 200   leaves its CPU 300 .. 700            1000 .. 1100
 *
 * Both clients run all the time, and receive at 400 and 1400.
 */
static void put_dispatch(void)
{
	put_roles();
	put_tick(&tape, 0, STAMP, 2);
	put_changes(&tape, SERVER, STAMP + 700, 0,
		    CHANGES(PREEMPT(STAMP + 300, 1), SWITCH(STAMP + 700, 1)));
	put_slice(&tape, make_task(1, 0, TASK, STAMP + 700));
	put_send(&tape, SERVER, 1, 0, STAMP + 100, STAMP + 200);
	put_send(&tape, SERVER, 2, 0, STAMP + 1000, STAMP + 1100);
	put_receive(&tape, tid_of(1), 1, 0, STAMP + 50, STAMP + 400, 0, NO_CHANGES);
	put_receive(&tape, tid_of(2), 2, 0, STAMP + 50, STAMP + 1400, 0, NO_CHANGES);
	put_stamp(&tape, 1, 0, STAMP, STAMP + 450);
	put_stamp(&tape, 2, 0, STAMP, STAMP + 1500);
	info.shows_switch = false;
}

static void check_dispatch(void)
{
	const struct cause *ran = cause_of(
		unit,
		(struct asked_cause){.cost = COMPONENT_DISPATCH, .role = CAUSE_RAN, .by = TASK});

	assert_int_equal(unit->from_ns, STAMP);
	assert_int_equal(unit->to_ns, STAMP + 1500);
	assert_int_equal(ran->by.ns, 400);
	assert_int_equal(ran->from_ns, STAMP + 300);
	assert_int_equal(ran->by.cpu, 1);
	assert_int_equal(ran->tid, SERVER);
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_ITSELF), 100);
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_KEPT, .by = tid_of(1)),
			 500);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), 100);
	assert_int_equal(CAUSE(.cost = COMPONENT_RECEIVE), 300);
	assert_int_equal(CAUSE(.cost = COMPONENT_RETURN), 100);
	assert_int_equal(unit->cause_cnt, 6);
	assert_true(unit->has_round);
	assert_int_equal(unit->round, 0);
	assert_int_equal(unit->client, 2);
	assert_int_equal(unit->place, 2);
}

TEST(dispatch_is_what_ran_instead_and_whom_the_server_sent_to)
{
	const struct heard_units *units;

	put_dispatch();
	units = hear_units(&info, &tape, UNIT_MESSAGE);
	assert_int_equal(units->cnt, 2);
	assert_int_equal(units->unit[0].place, 1);
	unit = &units->unit[1];
	check_dispatch();
}

/* The server has sent to client 2 last, but before it took the stamp of the next round. */
TEST(what_was_sent_before_the_stamp_is_not_dispatch)
{
	put_dispatch();
	put_tick(&tape, 1, STAMP + 2000, 1);
	put_send(&tape, SERVER, 1, 1, STAMP + 2100, STAMP + 2200);
	put_receive(&tape, tid_of(1), 1, 1, STAMP + 2050, STAMP + 2400, 0, NO_CHANGES);
	put_stamp(&tape, 1, 1, STAMP + 2000, STAMP + 2500);
	unit = &hear_units(&info, &tape, UNIT_MESSAGE)->unit[2];
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_ITSELF), 100);
}

/* The server sleeps in its second send, from 1040 to 1080. */
static void put_sleep_in_send(void)
{
	put_dispatch();
	put_changes(
		&tape, SERVER, STAMP + 1090, 2,
		CHANGES(SLEEP(STAMP + 1040, 1), WAKE(STAMP + 1080, 1), SWITCH(STAMP + 1090, 1)));
	put_slice(&tape, make_task(1, 1, TASK, STAMP + 1090));
}

TEST(a_sleep_in_a_send_is_part_of_the_send_path)
{
	put_sleep_in_send();
	unit = &hear_units(&info, &tape, UNIT_MESSAGE)->unit[1];
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH, .role = CAUSE_UNKNOWN), 40);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH, .role = CAUSE_RAN, .by = TASK), 10);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH, .role = CAUSE_ITSELF), 50);
}

/* On TCP the call may have returned, and the sender waits for something else. */
TEST(a_sleep_behind_a_send_over_a_network_is_not)
{
	struct record_channel channel = make_channel(2, TRANSPORT_TCP, 1, 2);

	put_sleep_in_send();
	tape_add(&tape, &channel);
	unit = &hear_units(&info, &tape, UNIT_MESSAGE)->unit[1];
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH, .role = CAUSE_ITSELF), 100);
}

TEST(a_round_is_as_slow_as_its_last_message)
{
	const struct heard_units *units;

	put_dispatch();
	units = hear_units(&info, &tape, UNIT_ROUND);
	assert_int_equal(units->cnt, 1);
	unit = &units->unit[0];
	assert_int_equal(unit->kind, UNIT_ROUND);
	check_dispatch();
}

TEST(a_round_without_all_of_its_messages_is_no_unit)
{
	put_dispatch();
	for (size_t i = 0; i < tape.cnt; i++) {
		struct record_stamp *stamp = (void *)tape.record[i];

		if (stamp->head.type == RECORD_STAMP && stamp->client == 2)
			stamp->client = 3;
	}
	assert_int_equal(hear_units(&info, &tape, UNIT_ROUND)->cnt, 0);
}

/* An interrupt on the CPU of the sender, in the middle of its dispatch. */
TEST(interrupts_are_inside_of_a_component_at_level_deep)
{
	const struct heard_units *units;
	const struct cause *inside;

	put_dispatch();
	put_slice(&tape, make_irq(1, 1, IRQ, STAMP + 800, STAMP + 850));
	unit = &hear_units(&info, &tape, UNIT_MESSAGE)->unit[1];
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_KEPT, .by = tid_of(1)),
			 500);
	info.level = LEVEL_DEEP;
	units = hear_units(&info, &tape, UNIT_MESSAGE);
	unit = &units->unit[1];
	inside = cause_of(
		unit,
		(struct asked_cause){.cost = COMPONENT_DISPATCH, .role = CAUSE_INSIDE, .by = IRQ});
	assert_int_equal(inside->by.ns, 50);
	assert_int_equal(inside->by.class, BLAME_IRQ);
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_KEPT, .by = tid_of(1)),
			 450);
}

/*
 * The host takes 60 ns while the task runs instead of the server, and 100 ns that may be earlier.
 */
TEST(steal_is_taken_out_of_what_ran)
{
	struct record_stolen stolen = {
		.head = {.type = RECORD_STOLEN, .words = sizeof(stolen) / 8, .cpu = 1, .tid = TASK},
		.from_ns = STAMP + 300,
		.to_ns = STAMP + 700,
		.stolen_ns = 60};
	const struct cause *cause;

	put_dispatch();
	tape_add(&tape, &stolen);
	stolen.from_ns = STAMP - 500;
	stolen.to_ns = STAMP + 300;
	stolen.stolen_ns = 100;
	tape_add(&tape, &stolen);
	info.level = LEVEL_DEEP;
	unit = &hear_units(&info, &tape, UNIT_MESSAGE)->unit[1];
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_RAN, .by = TASK), 340);
	cause = cause_of(unit, (struct asked_cause){.cost = COMPONENT_DISPATCH, .role = CAUSE_RAN});
	assert_int_equal(cause->by.ns, 60);
	assert_int_equal(cause->by.class, BLAME_STEAL);
}

/*
 *	queued 200    wakeup begins 210   left idle 235   woken 250
 */
TEST(leaving_idle_is_part_of_the_wakeup)
{
	uint64_t base = base_of(0, 1);
	struct record_waker waker = {
		.head = {.type = RECORD_WAKER, .words = sizeof(waker) / 8, .tid = SERVER},
		.woken = tid_of(1),
		.number = WAKER_NUMBER_NONE,
		.at_ns = base + 210,
		.wake_ns = base + 250};
	struct record_idle idle = {
		.head = {.type = RECORD_IDLE, .words = sizeof(idle) / 8, .tid = tid_of(1)},
		.idle_ns = base - 1000,
		.left_ns = base + 235,
		.switch_ns = base + 400};

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_message(0, 1);
	tape_add(&tape, &waker);
	tape_add(&tape, &idle);
	info.level = LEVEL_DEEP;
	unit = &hear_units(&info, &tape, UNIT_MESSAGE)->unit[0];
	assert_int_equal(CAUSE(.cost = COMPONENT_WAKEUP, .role = CAUSE_RAN), 25);
	assert_int_equal(CAUSE(.cost = COMPONENT_WAKEUP, .role = CAUSE_ITSELF), 10 + 15);
	assert_int_equal(unit->waker.tid, SERVER);
	assert_false(unit->from_interrupt);
	assert_int_equal(CAUSE(.cost = COMPONENT_RUNQUEUE, .role = CAUSE_RAN, .by = TASK), 150);
}

/* The time between two messages of one channel, and whether the receiver has changed its CPU. */
TEST(a_message_knows_the_one_before_it)
{
	const struct heard_units *units;

	put_roles();
	for (uint64_t round = 0; round < 2; round++)
		put_round(round);
	units = hear_units(&info, &tape, UNIT_MESSAGE);
	assert_int_equal(units->cnt, 4);
	assert_int_equal(units->unit[0].since_ns, 0);
	assert_int_equal(units->unit[2].since_ns, 100000);
	assert_false(units->unit[2].has_migrated);
}

TEST(a_receiver_that_wakes_on_another_cpu_has_migrated)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SWITCH(base - 6000, 0), RUN(base - 5900, 0), SLEEP(base - 4000, 0),
			    WAKE(base + 250, 1), SWITCH(base + 400, 1), RUN(base + 450, 1)));
	assert_true(hear_units(&info, &tape, UNIT_MESSAGE)->unit[0].has_migrated);
}
