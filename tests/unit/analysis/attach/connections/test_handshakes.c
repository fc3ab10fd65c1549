/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that wait in their handshake, and calls that fail and are made again, by hand. */
#include "support/build.h"
#include "support/connections.h"

#include "analysis/attach/connections/listeners.h"

#include <errno.h>
#include <string.h>

enum { SERVER = 700, CLIENT = 901, PORT = 8080 };

#define MS    1000000ULL
#define STOP  (10000 * MS) /* tracing ends */
#define BEGUN (5000 * MS)  /* a connect() */

static struct tape tape;

static int setup(void **state)
{
	const struct record_thread server = make_thread(SERVER, SERVER, false, 0);
	const struct record_thread client = make_thread(CLIENT, CLIENT, true, 0);
	const struct record_stop stop = {.head = record_head(RECORD_STOP, sizeof(stop), 0, 0),
					 .at_ns = STOP};

	tape_add(&tape, &server);
	tape_add(&tape, &client);
	tape_add(&tape, &stop);
	return 0;
}

static int teardown(void **state)
{
	tape_free(&tape);
	memset(&tape, 0, sizeof(tape));
	return 0;
}

EACH_TEST(setup, teardown)

static void put_handshake(uint16_t family, uint32_t flags, uint64_t at_ns)
{
	struct record_handshake record = {
		.head = record_head(RECORD_HANDSHAKE, sizeof(record), 0, 0),
		.family = family,
		.port = PORT,
		.retransmits = 1,
		.began_ns = BEGUN,
		.at_ns = at_ns,
		.socket = CONNECTING_SOCKET,
		.address = CONNECTING_SOCKET,
		.ports = 3,
		.number = 1000,
		.listener = LISTENER,
		.backlog = 1,
	};

	record.head.flags = flags;
	tape_add(&tape, &record);
}

static void put_connect(uint16_t family, uint16_t port, uint32_t error, uint64_t enter_ns,
			uint64_t exit_ns)
{
	struct record_connect connect = make_connect(CLIENT, family, 1000, enter_ns, exit_ns);

	connect.port = port;
	connect.error = error;
	connect.ports = 3;
	tape_add(&tape, &connect);
}

static void put_accept(uint64_t queued_ns, uint64_t enter_ns, uint64_t exit_ns)
{
	struct record_accept accept = make_accept(SERVER, FAMILY_INET, 1000, enter_ns, exit_ns);

	accept.port = PORT;
	accept.queued_ns = queued_ns;
	accept.ports = 3;
	accept.backlog = 1;
	tape_add(&tape, &accept);
}

static struct hearing hear_it(void)
{
	static const struct run_info info = {
		.mode = MODE_ATTACH, .traced = true, .shows_switch = true};

	put_watermark(&tape, 2 * STOP);
	put_end(&tape);
	return hear(&info, &tape);
}

static void assert_waits(const struct waits_summary *waits, uint64_t count, uint64_t still,
			 uint64_t ns)
{
	assert_int_equal(waits->count, count);
	assert_int_equal(waits->still_waiting, still);
	assert_int_equal(waits->least_ns, ns);
	assert_int_equal(waits->most_ns, ns);
}

/* Expects one listener with these waits for room, or none. */
static void assert_full(uint64_t count, uint64_t still, uint64_t ns)
{
	static const struct listener_summary none;
	struct hearing heard = hear_it();
	const struct connections_summary *sum = &heard.summary->connections;
	const struct listener_summary *listener = sum->listener_cnt ? &sum->listener[0] : &none;

	assert_true(sum->listener_cnt <= 1);
	assert_waits(&listener->full, count, still, ns);
	assert_waits(&listener->unanswered, 0, 0, 0);
	hearing_free(&heard);
}

/* The segment is sent again at 6 and at 7 s, in vain. Its call has no record, as it goes on. */
TEST(a_connect_that_waits_at_the_end_is_counted)
{
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN + 2000 * MS);
	assert_full(1, 1, STOP - BEGUN);
}

/* An answer after the end of tracing is none that was there at the end. */
TEST(a_connect_that_is_over_later_waits_at_the_end)
{
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, HANDSHAKE_OVER, STOP + 1);
	assert_full(1, 1, STOP - BEGUN);
}

TEST(a_connect_from_before_tracing_is_counted_when_it_is_over)
{
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, HANDSHAKE_OVER, BEGUN + 3000 * MS);
	put_accept(BEGUN + 3000 * MS, BEGUN + 3001 * MS, BEGUN + 3002 * MS);
	assert_full(1, 0, 3000 * MS);
}

TEST(a_connect_that_gives_up_has_waited_until_then)
{
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, HANDSHAKE_OVER | HANDSHAKE_FAILED, BEGUN + 1500 * MS);
	assert_full(1, 0, 1500 * MS);
}

/* Both ends say that it has waited: connect() itself had not been full when it began. */
TEST(a_connection_that_is_joined_counts_once)
{
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, HANDSHAKE_OVER, BEGUN + 2000 * MS);
	put_connect(FAMILY_INET, PORT, 0, BEGUN + 7, BEGUN + 2000 * MS + 5);
	put_accept(BEGUN + 2000 * MS + 7, BEGUN + 1 * MS, BEGUN + 2001 * MS);
	assert_full(1, 0, 2000 * MS);
}

/* Its first segment was lost, and came through when it was sent again: why is not known. */
TEST(a_queue_with_room_is_no_reason)
{
	put_handshake(FAMILY_INET, 0, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, HANDSHAKE_OVER, BEGUN + 1000 * MS);
	assert_full(0, 0, 0);
}

TEST(segments_that_have_no_answer_do_not_wait_for_room)
{
	struct hearing heard;

	put_handshake(FAMILY_INET, 0, BEGUN + 1000 * MS);
	put_handshake(FAMILY_INET, 0, BEGUN + 3000 * MS);
	heard = hear_it();
	assert_int_equal(heard.summary->connections.listener_cnt, 1);
	assert_waits(&heard.summary->connections.listener[0].full, 0, 0, 0);
	assert_waits(&heard.summary->connections.listener[0].unanswered, 1, 1, STOP - BEGUN);
	hearing_free(&heard);
}

/* The CONNECT of a unix socket says itself that it has waited. */
TEST(a_call_that_has_returned_does_not_wait)
{
	put_handshake(FAMILY_UNIX, HANDSHAKE_FULL, BEGUN);
	put_connect(FAMILY_UNIX, 0, EAGAIN, BEGUN, BEGUN + 10);
	assert_full(0, 0, 0);
}

TEST(a_call_to_a_unix_socket_waits_until_it_returns)
{
	put_handshake(FAMILY_UNIX, HANDSHAKE_FULL, BEGUN);
	put_connect(FAMILY_UNIX, 0, EAGAIN, BEGUN - 20, BEGUN - 10); /* an earlier one */
	assert_full(1, 1, STOP - BEGUN);
}

/* For how long it has waited is not known if its clock is another one. */
TEST(a_wait_that_begins_after_its_end_is_none)
{
	put_handshake(FAMILY_INET, HANDSHAKE_FULL, BEGUN - 10);
	put_handshake(FAMILY_INET, HANDSHAKE_OVER, BEGUN - 5);
	assert_full(0, 0, 0);
}

static void assert_retries(uint64_t retried, uint64_t ns)
{
	struct hearing heard = hear_it();

	assert_int_equal(heard.summary->connections.error[0].error, ECONNREFUSED);
	assert_int_equal(heard.summary->connections.error[0].retried, retried);
	assert_int_equal(heard.summary->connections.error[0].retry_ns, ns);
	hearing_free(&heard);
}

/*
 *	100 fails 110 |--- waits ---| 210 fails 220 |--- waits ---| 420 connects
 */
TEST(the_time_until_a_thread_tries_again_adds_up)
{
	put_connect(FAMILY_INET, PORT, ECONNREFUSED, 100, 110);
	put_connect(FAMILY_INET, PORT, ECONNREFUSED, 210, 220);
	put_connect(FAMILY_INET, PORT, 0, 420, 430);
	put_connect(FAMILY_INET, PORT, 0, 900, 910);
	assert_retries(2, 300);
}

/* A monitor asks a port that is never listened on; and another port is another service. */
TEST(a_thread_that_only_fails_waits_for_nothing)
{
	put_connect(FAMILY_INET, PORT, ECONNREFUSED, 100, 110);
	put_connect(FAMILY_INET, PORT, ECONNREFUSED, 210, 220);
	put_connect(FAMILY_INET, PORT + 1, 0, 420, 430);
	assert_retries(0, 0);
}
