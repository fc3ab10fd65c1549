/* SPDX-License-Identifier: BSD-2-Clause */
/* The causes of sleeps that lasted until the thread's own timeout. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/heard_units.h"

#include <errno.h>

enum { FROM_OTHER = 30, HOG = 900, TIMER = 5 };
enum { NANOSLEEP = 230, EPOLL_WAIT = 232, PWRITE = 18, FCNTL = 72 };

/* Nanoseconds. The target sleeps from BEGAN to WOKEN, and has set its timeout at SET. */
enum { BEGAN = 100000, SET = 90000, QUEUED = 150000, WOKEN = 1000000 };
#define SLEPT (WOKEN - QUEUED) /* since the message is there */

static const struct unit *unit;

static int setup_without_switch(void **state)
{
	setup(state);
	info.shows_switch = false;
	return 0;
}

/*
 *	set 90   asleep 100   queued 150               woken 1000   receives 1200 us
 */
static void put_sleep(uint32_t kind, uint32_t call)
{
	struct record_name timer = make_name(SLICE_IRQ, TIMER, 1, "timer");

	put_threads();
	put_channel(FROM_OTHER, TRANSPORT_UDS_SEQPACKET, 0, FROM_OTHER + 100);
	put_baseline(FROM_OTHER, 0, true);
	put(&timer);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, QUEUED - 1000, QUEUED);
	put_receive(
		&tape, TARGET, FROM_OTHER, 0, 1200000, 1201000, 0,
		CHANGES(change_pack(BEGAN, call, kind), WAKE(WOKEN, 0), SWITCH(WOKEN + 100, 0)));
}

static void put_waker(uint32_t flags, uint32_t number)
{
	struct record_waker waker = {.head = {.type = RECORD_WAKER,
					      .words = sizeof(waker) / 8,
					      .tid = HOG,
					      .flags = flags},
				     .woken = TARGET,
				     .number = number,
				     .at_ns = WOKEN - 10,
				     .wake_ns = WOKEN};

	put(&waker);
}

/* It may expire at `soft_ns`. */
static void put_timeout(uint32_t flags, uint64_t wake_ns, uint64_t soft_ns, uint64_t slack_ns)
{
	struct record_timeout timeout = {.head = {.type = RECORD_TIMEOUT,
						  .words = sizeof(timeout) / 8,
						  .tid = TARGET,
						  .flags = flags},
					 .wake_ns = wake_ns,
					 .started_ns = SET,
					 .asked_ns = soft_ns - SET,
					 .slack_ns = slack_ns};

	put_waker(WAKER_IRQ, TIMER);
	put(&timeout);
}

/* The part of the sleep with this reason, or NULL. Whatever the parts are, they add up. */
static const struct cause *part_of_sleep(enum cause_reason reason)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_MESSAGE);
	const struct cause *found = NULL;
	uint64_t ns = 0;

	assert_int_equal(units->cnt, 1);
	unit = &units->unit[0];
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->cost != COMPONENT_BLOCKED)
			continue;
		ns += cause->by.ns;
		if (cause->reason == reason)
			found = cause;
	}
	assert_int_equal(ns, SLEPT);
	return found;
}

TEST_WITH(a_sleep_lasts_until_its_own_timeout, setup_without_switch, teardown)
{
	const struct cause *waits;

	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, WOKEN - 2000, 0);
	waits = part_of_sleep(REASON_TIMEOUT);
	assert_int_equal(waits->by.ns, SLEPT);
	assert_int_equal(waits->asked_ns, WOKEN - 2000 - SET);
	assert_int_equal(waits->role, CAUSE_ITSELF);
	assert_int_equal(waits->by.tid, 0);
	assert_int_equal(waits->call, NANOSLEEP);
	assert_false(waits->from_interrupt);
}

TEST_WITH(a_pause_after_a_failed_call_has_that, setup_without_switch, teardown)
{
	struct record_timeout_failed failed = {
		.timeout =
			{
				.head = record_head(RECORD_TIMEOUT, sizeof(failed), 0, TARGET),
				.wake_ns = WOKEN,
				.started_ns = SET,
				.asked_ns = WOKEN - SET,
			},
		.number = FCNTL,
		.error = EAGAIN,
	};
	const struct cause *waits;

	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_waker(WAKER_IRQ, TIMER);
	put(&failed);
	waits = part_of_sleep(REASON_TRIED);
	assert_int_equal(waits->by.ns, SLEPT);
	assert_int_equal(waits->failed.number, FCNTL);
	assert_int_equal(waits->failed.error, EAGAIN);
	assert_int_equal(waits->call, NANOSLEEP);
	assert_null(part_of_sleep(REASON_TIMEOUT));
}

/* The record of this sleep was lost. */
TEST_WITH(the_timeout_of_another_sleep_is_none_of_this_one, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN - 1, WOKEN - 2000, 0);
	put_timeout(0, WOKEN + 1, WOKEN - 2000, 0);
	assert_null(part_of_sleep(REASON_TIMEOUT));
	assert_int_equal(part_of_sleep(REASON_NONE)->role, CAUSE_WOKE);
	assert_int_equal(part_of_sleep(REASON_NONE)->by.tid, TIMER);
}

TEST_WITH(a_sleep_that_another_thread_ended_has_no_timeout, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_waker(0, WAKER_NUMBER_NONE);
	assert_null(part_of_sleep(REASON_TIMEOUT));
	assert_int_equal(part_of_sleep(REASON_NONE)->by.tid, HOG);
}

/*
 *	150              940      990 1000
 *	 |   timeout      |  slack  | the same: it is not late
 */
TEST_WITH(the_slack_is_a_part_of_its_own, setup_without_switch, teardown)
{
	const struct cause *slack;

	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, 940000, 50000);
	slack = part_of_sleep(REASON_SLACK);
	assert_int_equal(slack->by.ns, 50000);
	assert_int_equal(slack->asked_ns, 50000);
	assert_int_equal(slack->call, NANOSLEEP);
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->by.ns, SLEPT - 50000);
	assert_null(part_of_sleep(REASON_NONE));
}

/* The timer was reached on the way, before the end of the slack. */
TEST_WITH(the_slack_ends_with_the_sleep, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, 980000, 50000);
	assert_int_equal(part_of_sleep(REASON_SLACK)->by.ns, 20000);
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->by.ns, SLEPT - 20000);
}

TEST_WITH(a_message_that_comes_in_the_slack_waits_for_its_end, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, QUEUED - 10000, 5000000);
	assert_null(part_of_sleep(REASON_TIMEOUT));
	assert_int_equal(part_of_sleep(REASON_SLACK)->by.ns, SLEPT);
}

TEST_WITH(a_slack_of_less_than_some_microseconds_is_no_part, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, WOKEN - 4999, 50000);
	assert_null(part_of_sleep(REASON_SLACK));
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->by.ns, SLEPT);
}

/*
 *	150              700      750             1000
 *	 |   timeout      |  slack  |     late      |
 *
 * The interrupt came late: what the thread asked for does not say why.
 */
TEST_WITH(a_late_interrupt_is_no_part_of_the_timeout, setup_without_switch, teardown)
{
	const struct cause *late;

	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, 700000, 50000);
	late = part_of_sleep(REASON_NONE);
	assert_int_equal(late->by.ns, 250000);
	assert_int_equal(late->by.tid, TIMER);
	assert_true(late->from_interrupt);
	assert_int_equal(part_of_sleep(REASON_SLACK)->by.ns, 50000);
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->by.ns, SLEPT - 300000);
}

/* The kernel's own timer ends the sleep: it is no timeout that the thread has set. */
static void put_held_back(uint64_t at_ns)
{
	struct record_dirty dirty = {
		.head = {.type = RECORD_DIRTY, .words = sizeof(dirty) / 8, .tid = TARGET},
		.at_ns = at_ns,
	};

	put_sleep(CHANGE_SLEEP_IN, PWRITE);
	put(&dirty);
	put_timeout(TIMEOUT_IN_TICKS, WOKEN, WOKEN - 2000, 0);
}

TEST_WITH(a_thread_is_held_back_as_too_many_pages_are_dirty, setup_without_switch, teardown)
{
	const struct cause *waits;

	put_held_back(BEGAN);
	waits = part_of_sleep(REASON_DIRTY);
	assert_int_equal(waits->by.ns, SLEPT);
	assert_int_equal(waits->call, PWRITE);
	assert_int_equal(waits->role, CAUSE_ITSELF);
	assert_null(part_of_sleep(REASON_TIMEOUT));
}

/* It was held back in the sleep before. */
TEST_WITH(another_sleep_is_not_held_back, setup_without_switch, teardown)
{
	put_held_back(BEGAN - 1);
	assert_null(part_of_sleep(REASON_DIRTY));
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->by.ns, SLEPT);
}

/* The instant at which a time in ticks is over is not recorded. */
TEST_WITH(a_timeout_in_ticks_has_no_parts, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(TIMEOUT_IN_TICKS, WOKEN, 700000, 0);
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->by.ns, SLEPT);
	assert_int_equal(part_of_sleep(REASON_TIMEOUT)->asked_ns, 700000 - SET);
}

/* Forged: sums that do not fit into 64 bits. */
TEST_WITH(any_numbers_add_up, setup_without_switch, teardown)
{
	put_sleep(CHANGE_SLEEP_IN, NANOSLEEP);
	put_timeout(0, WOKEN, UINT64_MAX, UINT64_MAX);
	part_of_sleep(REASON_NONE);
	put_timeout(0, WOKEN, 500000, UINT64_MAX);
	part_of_sleep(REASON_NONE);
	put_timeout(0, WOKEN, UINT64_MAX - 10, 700000);
	part_of_sleep(REASON_NONE);
}

/* The thread does not watch the socket of the message. */
static void put_unwatched(void)
{
	for (size_t i = 0; i < tape.cnt; i++) {
		if (tape.record[i]->type == RECORD_SEND)
			tape.record[i]->flags |= SEND_UNWATCHED;
	}
}

/* It waits for data, and does not notice those that are there. */
TEST_WITH(a_poll_whose_timeout_ends_leaves_data, setup_without_switch, teardown)
{
	const struct cause *waits;

	put_sleep(CHANGE_POLL_IN, EPOLL_WAIT);
	put_unwatched();
	put_timeout(0, WOKEN, 940000, 50000);
	waits = part_of_sleep(REASON_TIMEOUT_DATA);
	assert_int_equal(waits->by.ns, SLEPT - 50000);
	assert_int_equal(waits->call, EPOLL_WAIT);
	assert_int_equal(part_of_sleep(REASON_SLACK)->by.ns, 50000);
	assert_null(part_of_sleep(REASON_TIMEOUT));
}
