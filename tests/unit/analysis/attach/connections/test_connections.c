/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of connections, joined and cut into parts, by hand. */
#include "support/build.h"
#include "support/connections.h"

#include "analysis/attach/connections/listeners.h"

#include <errno.h>
#include <string.h>

enum { SERVER = 700, CLIENT = 901 };

static struct tape tape;
static uint32_t number; /* the first sequence number of the next connection */

static int setup(void **state)
{
	const struct record_thread server = make_thread(SERVER, SERVER, false, 0);
	const struct record_thread client = make_thread(CLIENT, CLIENT, true, 0);

	number = 1000;
	tape_add(&tape, &server);
	tape_add(&tape, &client);
	return 0;
}

static int teardown(void **state)
{
	tape_free(&tape);
	memset(&tape, 0, sizeof(tape));
	return 0;
}

EACH_TEST(setup, teardown)

static uint32_t number_of(uint16_t family)
{
	return family == FAMILY_UNIX ? CONNECTING_INODE : number;
}

static struct record_connect connect_at(uint16_t family, uint64_t enter_ns, uint64_t exit_ns)
{
	return make_connect(CLIENT, family, number_of(family), enter_ns, exit_ns);
}

static struct record_accept accept_at(uint16_t family, uint64_t enter_ns, uint64_t exit_ns)
{
	struct record_accept accept =
		make_accept(SERVER, family, number_of(family), enter_ns, exit_ns);

	accept.backlog = 8;
	return accept;
}

/* A whole connection over a unix socket: `queued` when connect() returns. */
static void put_unix(uint64_t enter_ns, uint64_t queued_ns, uint64_t accept_ns, uint64_t exit_ns)
{
	struct record_connect connect = connect_at(FAMILY_UNIX, enter_ns, queued_ns + 1);
	struct record_accept accept = accept_at(FAMILY_UNIX, accept_ns, exit_ns);

	connect.queued_ns = queued_ns;
	tape_add(&tape, &connect);
	tape_add(&tape, &accept);
}

static struct hearing hear_all(void)
{
	static const struct run_info info = {
		.mode = MODE_ATTACH, .traced = true, .shows_switch = true};

	put_watermark(&tape, 1000000000);
	put_end(&tape);
	return hear(&info, &tape);
}

static uint64_t part_ns(const struct connections_summary *sum, enum connection_part part)
{
	return sum->part[part].sum;
}

static void assert_parts_add_up(const struct connections_summary *sum)
{
	uint64_t all = 0;

	for (int i = 0; i < NR_CONNECTION_PARTS; i++)
		all += sum->part[i].sum;
	assert_int_equal(all, (uint64_t)sum->latency.sum);
}

/*
 *	10 connect   20 queued  35 wake   60 switch  64 run        90 accept returns
 *	   connect      |  wakeup  | run queue |  switch  |  accept   |
 */
TEST(a_connection_is_cut_by_what_the_accepting_thread_did)
{
	struct hearing heard;
	const struct connections_summary *sum;

	put_changes(&tape, SERVER, 90, 0,
		    CHANGES(SLEEP(5, 0), WAKE(35, 0), SWITCH(60, 0), RUN(64, 0)));
	put_unix(10, 20, 4, 90);
	heard = hear_all();
	sum = &heard.summary->connections;
	assert_int_equal(sum->calls, 1);
	assert_int_equal(sum->latency.count, 1);
	assert_int_equal(part_ns(sum, CONNECTION_CONNECT), 10);
	assert_int_equal(part_ns(sum, CONNECTION_QUEUE), 0);
	assert_int_equal(part_ns(sum, CONNECTION_WAKEUP), 15);
	assert_int_equal(part_ns(sum, CONNECTION_RUNQUEUE), 25);
	assert_int_equal(part_ns(sum, CONNECTION_SWITCH), 4);
	assert_int_equal(part_ns(sum, CONNECTION_ACCEPT), 26);
	assert_parts_add_up(sum);
	assert_int_equal(sum->listener_cnt, 1);
	assert_int_equal(sum->listener[0].server.pid, SERVER);
	assert_int_equal(sum->listener[0].backlog, 8);
	hearing_free(&heard);
}

/* It sleeps and works before it accepts: both are the queue's. */
TEST(the_queue_is_what_the_accepting_thread_did_before_its_call)
{
	struct hearing heard;
	const struct connections_summary *sum;

	put_changes(&tape, SERVER, 90, 0,
		    CHANGES(change_pack(30, 35, CHANGE_SLEEP_IN), WAKE(50, 0), SWITCH(50, 0),
			    RUN(50, 0)));
	put_unix(10, 20, 80, 90);
	heard = hear_all();
	sum = &heard.summary->connections;
	assert_int_equal(part_ns(sum, CONNECTION_QUEUE), 60);
	assert_int_equal(part_ns(sum, CONNECTION_ACCEPT), 10);
	assert_int_equal(sum->listener[0].busy_ns, 40);
	assert_int_equal(sum->listener[0].blocked_ns, 20);
	assert_int_equal(sum->listener[0].blocked.entry[0].call, 35);
	assert_parts_add_up(sum);
	hearing_free(&heard);
}

TEST(ends_are_joined_in_whatever_order_they_come)
{
	struct hearing heard;
	uint64_t seed = 3;

	/* Sockets that are used again have the address of the first one. */
	for (uint64_t at = 0; at < 50; at++)
		put_unix(100 * at + 10, 100 * at + 20, 100 * at + 30, 100 * at + 40);
	tape_shuffle(&tape, &seed);
	heard = hear_all();
	assert_int_equal(heard.summary->connections.latency.count, 50);
	assert_int_equal(heard.summary->connections.latency.max, 30);
	assert_int_equal(heard.summary->connections.not_seen, 0);
	assert_int_equal(heard.summary->connections.not_accepted, 0);
	hearing_free(&heard);
}

/* Neither an earlier call of the same address nor one of another inode was accepted. */
TEST(an_old_end_is_not_joined_with_a_new_one)
{
	struct record_connect connect = connect_at(FAMILY_UNIX, 10, 21);
	struct record_accept other = accept_at(FAMILY_UNIX, 330, 340);
	struct hearing heard;

	connect.queued_ns = 20;
	tape_add(&tape, &connect);
	put_unix(210, 220, 230, 240);
	connect.enter_ns = 310;
	connect.queued_ns = connect.exit_ns = 320;
	tape_add(&tape, &connect);
	other.number = CONNECTING_INODE + 1;
	tape_add(&tape, &other);
	heard = hear_all();
	assert_int_equal(heard.summary->connections.latency.count, 1);
	assert_int_equal(heard.summary->connections.latency.max, 30);
	assert_int_equal(heard.summary->connections.not_seen, 1);
	assert_int_equal(heard.summary->connections.not_accepted, 2);
	hearing_free(&heard);
}

/* A port is used again: the sequence number says which connection it is. */
TEST(a_connection_of_tcp_is_joined_by_its_sequence_number)
{
	struct record_connect connect = connect_at(FAMILY_INET, 10, 25);
	struct record_accept accept;
	struct hearing heard;

	tape_add(&tape, &connect);
	number++;
	accept = accept_at(FAMILY_INET, 50, 60);
	accept.queued_ns = 40;
	tape_add(&tape, &accept);
	heard = hear_all();
	assert_int_equal(heard.summary->connections.latency.count, 0);
	assert_int_equal(heard.summary->connections.not_seen, 1);
	assert_int_equal(heard.summary->connections.not_accepted, 1);
	hearing_free(&heard);
}

TEST(a_connection_whose_queue_is_not_known_is_not_cut)
{
	struct hearing heard;

	put_unix(10, 0, 4, 90);
	heard = hear_all();
	assert_int_equal(heard.summary->connections.latency.count, 0);
	assert_int_equal(heard.summary->connections.uncut, 1);
	hearing_free(&heard);
}

/* What is accepted after the end of tracing may have been connected after it, too. */
TEST(the_end_of_tracing_leaves_no_end_without_the_other)
{
	const struct record_stop stop = {.head = record_head(RECORD_STOP, sizeof(stop), 0, 0),
					 .at_ns = 50};
	struct record_accept early = accept_at(FAMILY_UNIX, 30, 40);
	struct record_accept late = accept_at(FAMILY_UNIX, 60, 70);
	struct hearing heard;

	tape_add(&tape, &stop);
	tape_add(&tape, &early);
	tape_add(&tape, &late);
	heard = hear_all();
	assert_int_equal(heard.summary->connections.not_seen, 1);
	hearing_free(&heard);
}

TEST(calls_that_fail_are_counted_by_reason)
{
	static const uint32_t errors[] = {ECONNREFUSED, EAGAIN, ECONNREFUSED, ETIMEDOUT,
					  EINPROGRESS};
	const struct connections_summary *sum;
	struct hearing heard;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct record_connect connect = connect_at(FAMILY_UNIX, 10 + 10 * i, 15 + 10 * i);

		connect.error = errors[i];
		tape_add(&tape, &connect);
	}
	heard = hear_all();
	sum = &heard.summary->connections;
	assert_int_equal(sum->calls, 5);
	assert_int_equal(sum->failed, 4);
	assert_int_equal(sum->error_cnt, 3);
	assert_int_equal(sum->error[0].error, ECONNREFUSED);
	assert_int_equal(sum->error[0].count, 2);
	assert_int_equal(sum->full_failed, 1);
	assert_int_equal(sum->not_accepted, 1); /* a call that does not wait */
	hearing_free(&heard);
}

/* Only what is certain: the queue was full, and a segment had to be sent again for it. */
TEST(a_wait_for_a_full_queue_is_certain_or_none)
{
	static const struct {
		uint32_t family, flags, retransmits, answered_again;
		uint64_t queued_ns;
		bool waited;
	} cases[] = {
		{FAMILY_INET, CONNECT_FULL, 1, 0, 1000, true},
		{FAMILY_INET, CONNECT_FULL, 0, 0, 1000, false},
		{FAMILY_INET, 0, 2, 1, 1000, false}, /* the network has lost them */
		{FAMILY_INET, CONNECT_FULL_AT_EXIT, 0, 1, 1000, true},
		{FAMILY_INET, CONNECT_FULL_AT_EXIT, 0, 1, 15, false}, /* full by this one itself */
		{FAMILY_INET, CONNECT_FULL_AT_EXIT, 0, 0, 1000, false},
		{FAMILY_UNIX, CONNECT_FULL, 0, 0, 15, true},
		{FAMILY_UNIX, CONNECT_FULL_AT_EXIT, 0, 0, 15, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct opened opened = {.connect = connect_at(cases[i].family, 10, 20),
					.accept = accept_at(cases[i].family, 30, 2000),
					.queued_ns = cases[i].queued_ns};

		opened.connect.head.flags |= cases[i].flags;
		opened.connect.retransmits = cases[i].retransmits;
		opened.accept.retransmits = cases[i].answered_again;
		if (opened_waited_for_room(&opened) != cases[i].waited)
			fail_msg("case %zu", i);
	}
}
