/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls and locks in a circle, which a timeout ends. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/connections.h"
#include "support/heard_units.h"

#include "model/blocked_calls.h"

enum { FROM_OTHER = 30, ASKS = 40, ASKED = 41, ITSELF = 50, ITSELF_BACK = 51, TIMER = 5 };
enum { FUTEX = 202, EPOLL_WAIT = 232 };

/*
 * Nanoseconds. The target asks the peer, and polls until its own timeout. Meanwhile a message of
 * another thread comes, whose unit has the causes:
 *
 *	ASKED_AT    BEGAN    QUEUED                 GIVEN_UP     receives
 *	   |  runs    |   asleep, until its own timeout |  runs      |
 */
enum { ASKED_AT = 50000, BEGAN = 100000, QUEUED = 150000, GIVEN_UP = 1000000 };
enum { BACK_BEFORE = 40000, BACK_AT = 60000, PEER_BEGAN = 70000, PEER_WOKEN = 1005000 };

/* What the peer does after the target has asked it. */
enum peer_does { ASKS_BACK, ASKS_BACK_UNANSWERED_EVER, ASKS_NOTHING, RUNS };

/* Of the target's timeout. */
static uint32_t timeout_flags;

static int setup_circle(void **state)
{
	setup(state);
	info.shows_switch = false;
	timeout_flags = TIMEOUT_FOR_DATA;
	put_threads();
	put_connection();
	put_channel(ASKS, TRANSPORT_UDS_SEQPACKET, 21, 22);
	put_channel(ASKED, TRANSPORT_UDS_SEQPACKET, 22, 21);
	put_channel(FROM_OTHER, TRANSPORT_UDS_SEQPACKET, 0, 31);
	for (uint32_t channel = ASKS; channel <= ASKED; channel++)
		put_baseline(channel, 0, true);
	put_baseline(FROM_OTHER, 0, true);
	return 0;
}

/* Calls that are answered: a request, and then what answers it. */
static void put_calls(bool also_back)
{
	put_message(TARGET, PEER, ASKS, 0, 1000);
	put_message(PEER, TARGET, ASKED, 0, 2000);
	put_request(0, 3000);
	if (also_back)
		put_answer(0, 4000);
}

static void put_woken(uint32_t tid, uint32_t by, uint32_t flags, uint64_t wake_ns)
{
	struct record_waker waker = {.head = {.type = RECORD_WAKER,
					      .words = sizeof(waker) / 8,
					      .tid = by,
					      .flags = flags},
				     .woken = tid,
				     .number = flags ? TIMER : WAKER_NUMBER_NONE,
				     .at_ns = wake_ns - 10,
				     .wake_ns = wake_ns};

	put(&waker);
}

/* The target's sleep, and the message that comes meanwhile. */
static void put_target_sleep(uint32_t asks)
{
	struct record_timeout timeout = {.head = {.type = RECORD_TIMEOUT,
						  .words = sizeof(timeout) / 8,
						  .tid = TARGET,
						  .flags = timeout_flags},
					 .wake_ns = GIVEN_UP,
					 .started_ns = BEGAN - 100,
					 .asked_ns = GIVEN_UP - BEGAN};
	struct record_send send = make_send(OTHER_PEER, FROM_OTHER, 0, QUEUED - 1000, QUEUED);

	put_sent(TARGET, asks, 1, 64, ASKED_AT);
	put(&timeout);
	put_woken(TARGET, 0, WAKER_IRQ, GIVEN_UP);
	send.head.flags |= SEND_UNWATCHED;
	put(&send);
	put_receive(&tape, TARGET, FROM_OTHER, 0, 1200000, 1201000, 0,
		    CHANGES(change_pack(BEGAN, EPOLL_WAIT, CHANGE_POLL_IN), WAKE(GIVEN_UP, 0),
			    SWITCH(GIVEN_UP + 100, 0)));
}

static void put_peer_sleep(uint32_t kind, uint32_t call)
{
	put_changes(&tape, PEER, PEER_WOKEN + 500, 0,
		    CHANGES(change_pack(PEER_BEGAN, call, kind), WAKE(PEER_WOKEN, 1),
			    SWITCH(PEER_WOKEN + 100, 1)));
}

/* How long the target waited for this reason, and for which thread. */
static uint64_t waited_for(enum cause_reason reason, uint32_t by)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_MESSAGE);
	uint64_t ns = 0, sum_ns = 0;

	for (uint32_t i = 0; i < units->cnt; i++) {
		const struct unit *unit = &units->unit[i];

		if (unit->channel != FROM_OTHER)
			continue;
		for (uint32_t j = 0; j < unit->cause_cnt; j++) {
			const struct cause *cause = &unit->cause[j];

			if (cause->cost != COMPONENT_BLOCKED || cause->parent)
				continue;
			sum_ns += cause->by.ns;
			if (cause->reason == reason && cause->by.tid == by)
				ns += cause->by.ns;
		}
	}
	assert_int_equal(sum_ns, GIVEN_UP - QUEUED);
	return ns;
}

/*
 * Sends what the peer asks at `back_ns`. Each request is received about 0.4 us after the other
 * instants; 0: not before the target gives up.
 */
static void put_circle(enum peer_does does, uint64_t read_ns, uint64_t back_ns,
		       uint64_t back_read_ns)
{
	put_calls(does != ASKS_BACK_UNANSWERED_EVER);
	if (read_ns)
		put_received(PEER, ASKS, 1, 64, read_ns);
	if (does < ASKS_NOTHING)
		put_sent(PEER, TO_TARGET, 1, 64, back_ns);
	if (back_read_ns)
		put_received(TARGET, TO_TARGET, 1, 64, back_read_ns);
	put_target_sleep(ASKS);
	if (does != RUNS)
		put_peer_sleep(CHANGE_POLL_IN, EPOLL_WAIT);
}

#define ALL_OF_IT (GIVEN_UP - QUEUED)

TEST_WITH(two_that_ask_each_other_are_a_circle, setup_circle, teardown)
{
	put_circle(ASKS_BACK, ASKED_AT, BACK_AT, 0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), ALL_OF_IT);
}

/* As in clock_nanosleep. */
TEST_WITH(a_pause_is_no_wait_for_an_answer, setup_circle, teardown)
{
	timeout_flags = 0;
	put_circle(ASKS_BACK, ASKED_AT, BACK_AT, 0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/* The peer asked first: it does not receive what the target asks. */
TEST_WITH(it_does_not_matter_which_asked_first, setup_circle, teardown)
{
	put_circle(ASKS_BACK, 0, BACK_BEFORE, BACK_BEFORE);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), ALL_OF_IT);
}

/* Threads that receive both requests may handle them. */
TEST_WITH(two_requests_that_are_received_are_no_circle, setup_circle, teardown)
{
	put_circle(ASKS_BACK, ASKED_AT, BACK_BEFORE, BACK_BEFORE);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/* What the peer has sent may be a piece of news, and it waits for something else. */
TEST_WITH(what_was_never_answered_may_want_no_answer, setup_circle, teardown)
{
	put_circle(ASKS_BACK_UNANSWERED_EVER, ASKED_AT, BACK_AT, 0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
	assert_true(waited_for(REASON_TIMEOUT, 0) + waited_for(REASON_TIMEOUT_DATA, 0) ==
		    ALL_OF_IT);
}

TEST_WITH(a_peer_that_asks_nothing_is_no_circle, setup_circle, teardown)
{
	put_circle(ASKS_NOTHING, ASKED_AT, BACK_AT, 0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

TEST_WITH(a_peer_that_works_is_no_circle, setup_circle, teardown)
{
	put_circle(RUNS, ASKED_AT, BACK_AT, 0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/* The target has its answer, and waits for something else. */
TEST_WITH(what_is_answered_is_no_circle, setup_circle, teardown)
{
	put_sent(PEER, ASKED, 1, 64, 55000);
	put_received(TARGET, ASKED, 1, 64, 56000);
	put_circle(ASKS_BACK, ASKED_AT, BACK_AT, 0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/*
 * The target asks the peer, which asks the third thread, which asks the target, which
 * does not receive that.
 */
static void put_circle_of_three(bool third_waits)
{
	enum { TO_THIRD = 60, FROM_THIRD, THIRD_ASKS, THIRD_ASKED, THIRD = OTHER_PEER + 1 };

	put_thread(THIRD, THIRD, false, "third");
	for (uint32_t channel = TO_THIRD; channel <= THIRD_ASKED; channel += 2) {
		put_channel(channel, TRANSPORT_UDS_SEQPACKET, 100 + channel, 101 + channel);
		put_channel(channel + 1, TRANSPORT_UDS_SEQPACKET, 101 + channel, 100 + channel);
		put_baseline(channel, 0, true);
		put_baseline(channel + 1, 0, true);
	}
	put_message(PEER, THIRD, TO_THIRD, 0, 5000);
	put_message(THIRD, PEER, FROM_THIRD, 0, 6000);
	put_message(THIRD, TARGET, THIRD_ASKS, 0, 7000);
	put_message(TARGET, THIRD, THIRD_ASKED, 0, 8000);
	put_message(PEER, THIRD, TO_THIRD, 1, BACK_AT);
	put_sent(THIRD, THIRD_ASKS, 1, 64, BACK_AT + 2000);
	if (third_waits)
		put_changes(&tape, THIRD, PEER_WOKEN + 500, 0,
			    CHANGES(change_pack(PEER_BEGAN, EPOLL_WAIT, CHANGE_POLL_IN),
				    WAKE(PEER_WOKEN, 1), SWITCH(PEER_WOKEN + 100, 1)));
	put_circle(ASKS_NOTHING, ASKED_AT, 0, 0);
}

TEST_WITH(three_that_ask_each_other_are_a_circle, setup_circle, teardown)
{
	put_circle_of_three(true);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), ALL_OF_IT);
}

TEST_WITH(three_of_which_one_works_are_none, setup_circle, teardown)
{
	put_circle_of_three(false);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/* The peer sleeps in futex until the target, which has given up, wakes it. */
static void put_lock(uint32_t peers_process, uint32_t waker)
{
	struct record_process peers = make_process(PEER, 1, peers_process, "peer");
	struct record_process targets = make_process(TARGET, 1, TARGET_PID, "target");

	put_calls(true);
	put(&peers);
	put(&targets);
	put_received(PEER, ASKS, 1, 64, ASKED_AT);
	put_target_sleep(ASKS);
	put_peer_sleep(CHANGE_SLEEP_IN, FUTEX);
	put_woken(PEER, waker, 0, PEER_WOKEN);
}

TEST_WITH(a_lock_of_the_one_that_asks_closes_a_circle, setup_circle, teardown)
{
	put_lock(PEER_PID, TARGET);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), ALL_OF_IT);
}

TEST_WITH(a_lock_of_another_thread_closes_none, setup_circle, teardown)
{
	put_lock(PEER_PID, OTHER_PEER);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/* A thread that waits for work of its own process sleeps in futex, too. */
TEST_WITH(a_sleep_within_one_process_is_not_known_to_be_for_a_lock, setup_circle, teardown)
{
	put_lock(TARGET_PID, TARGET);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

/* The target serves a connection of its own. `received_ns` 0: not yet. */
static void put_asks_itself(uint64_t received_ns)
{
	put_channel(ITSELF, TRANSPORT_UDS_SEQPACKET, 41, 42);
	put_channel(ITSELF_BACK, TRANSPORT_UDS_SEQPACKET, 42, 41);
	put_baseline(ITSELF, 0, true);
	put_baseline(ITSELF_BACK, 0, true);
	put_message(TARGET, TARGET, ITSELF, 0, 1000);
	put_message(TARGET, TARGET, ITSELF_BACK, 0, 2000);
	if (received_ns)
		put_received(TARGET, ITSELF, 1, 64, received_ns);
	put_target_sleep(ITSELF);
}

TEST_WITH(a_thread_that_asks_itself_is_a_circle, setup_circle, teardown)
{
	put_asks_itself(0);
	assert_int_equal(waited_for(REASON_CIRCLE_SELF, 0), ALL_OF_IT);
}

/* It handles what it was asked, and waits for something else. */
TEST_WITH(a_request_to_itself_that_is_received_is_no_circle, setup_circle, teardown)
{
	put_asks_itself(80000);
	assert_int_equal(waited_for(REASON_CIRCLE_SELF, 0), 0);
}

enum { ON_NEW = 70, CONNECTING_AT = 55000 };

static void put_accepted(uint32_t tid)
{
	const struct record_accept accept =
		make_accept(tid, FAMILY_UNIX, CONNECTING_INODE + 1, 2400, 2500);

	put(&accept);
}

/* The peer asks the target on a new connection, which is not accepted while the target waits. */
static void put_circle_on_connection(uint64_t sent_before_ns)
{
	const struct record_connect connect = make_connect(PEER, FAMILY_UNIX, CONNECTING_INODE,
							   CONNECTING_AT, CONNECTING_AT + 1000);

	info.level = LEVEL_DEEP;
	put_channel(ON_NEW, TRANSPORT_UDS_STREAM, 71, 72);
	put_baseline(ON_NEW, 0, true);
	put_accepted(TARGET);
	if (sent_before_ns)
		put_sent(PEER, ON_NEW, 1, 64, sent_before_ns);
	put(&connect);
	put_sent(PEER, ON_NEW, 65, 64, BACK_AT);
	put_circle(ASKS_NOTHING, ASKED_AT, 0, 0);
}

TEST_WITH(a_request_on_a_connection_that_waits_closes_a_circle, setup_circle, teardown)
{
	put_circle_on_connection(0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), ALL_OF_IT);
}

/* The peer has sent on this one before it connected. */
TEST_WITH(what_is_sent_on_an_old_connection_closes_none, setup_circle, teardown)
{
	put_circle_on_connection(ASKED_AT + 1000);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}

TEST_WITH(a_listener_of_two_threads_closes_none, setup_circle, teardown)
{
	put_accepted(OTHER_PEER);
	put_circle_on_connection(0);
	assert_int_equal(waited_for(REASON_CIRCLE_CALL, PEER), 0);
}
