/* SPDX-License-Identifier: BSD-2-Clause */
/* The first call of a connection, by hand. */
#include "support/build.h"

#include "analysis/attach/connections/first_calls.h"

#include <errno.h>
#include <string.h>

enum { CLIENT = 901, OTHER = 902, CHANNEL = 7, CLIENT_PORT = 40000, SERVER_PORT = 80 };

#define PORTS ((uint32_t)CLIENT_PORT << 16 | SERVER_PORT)

static struct first_calls *first;
static struct connections_summary sum;

static int setup(void **state)
{
	memset(&sum, 0, sizeof(sum));
	first = first_calls__new();
	return !first;
}

static int teardown(void **state)
{
	first_calls__free(first);
	stat_free(&sum.first_call);
	stat_free(&sum.before_call);
	return 0;
}

EACH_TEST(setup, teardown)

static void connected(uint32_t error, uint64_t enter_ns, uint64_t exit_ns)
{
	const struct record_connect connect = {
		.head = record_head(RECORD_CONNECT, sizeof(connect), 0, CLIENT),
		.family = FAMILY_INET,
		.error = error,
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
		.ports = PORTS,
	};

	assert_int_equal(first_calls__connect(first, &connect), 0);
}

static void accepted(uint64_t exit_ns)
{
	const struct record_accept accept = {
		.head = {.tid = OTHER}, .family = FAMILY_INET, .exit_ns = exit_ns, .ports = PORTS};

	first_calls__accept(first, &accept);
}

static void named(uint32_t channel, uint16_t sender_port, uint16_t receiver_port)
{
	const struct record_address address = {.channel = channel,
					       .family = FAMILY_INET,
					       .sender_port = sender_port,
					       .receiver_port = receiver_port};

	assert_int_equal(first_calls__address(first, &address), 0);
}

static struct call call_at(uint32_t channel, uint64_t sent_ns, uint64_t back_ns)
{
	struct call call = {.channel = channel,
			    .client = {.tid = CLIENT},
			    .sent_ns = sent_ns,
			    .back_ns = back_ns};

	first_calls__take(first, &call, &sum);
	return call;
}

/*
 *	10 connect 20   30 sent   45 accepted   90 back
 */
TEST(a_first_call_begins_with_its_connection)
{
	struct call call;

	connected(0, 10, 20);
	named(CHANNEL, CLIENT_PORT, SERVER_PORT);
	accepted(45);
	assert_int_equal(first_calls__message(first, CHANNEL, CLIENT, 30), 10);
	assert_int_equal(first_calls__message(first, CHANNEL, CLIENT, 95), 0);
	call = call_at(CHANNEL, 30, 90);
	assert_int_equal(call.connect_ns, 20);
	assert_int_equal(call.opening_ns, 35);
	assert_int_equal(first_calls__accepted(first, CHANNEL).tid, OTHER);
	assert_int_equal(first_calls__accepted(first, CHANNEL).at_ns, 45);
	assert_int_equal(first_calls__accepted(first, CHANNEL + 1).at_ns, 0);
	call = call_at(CHANNEL, 95, 99);
	assert_int_equal(call.connect_ns, 0);
	assert_int_equal(sum.requests, 2);
	assert_int_equal(sum.first_call.count, 1);
	assert_int_equal((uint64_t)sum.first_call.sum, 80);
	assert_int_equal((uint64_t)sum.before_call.sum, 20);
	assert_int_equal(sum.opening_ns, 35);
}

/* It is accepted only after the answer, by another thread than serves: the call ends before. */
TEST(a_connection_is_open_with_its_call_at_the_latest)
{
	connected(EINPROGRESS, 10, 20);
	named(CHANNEL, CLIENT_PORT, SERVER_PORT);
	accepted(500);
	assert_int_equal(first_calls__message(first, CHANNEL, CLIENT, 30), 10);
	assert_int_equal(call_at(CHANNEL, 30, 90).opening_ns, 80);
}

TEST(what_is_not_certain_is_no_first_call)
{
	/* Another thread sends; and the other direction of the same connection. */
	connected(0, 10, 20);
	named(CHANNEL, CLIENT_PORT, SERVER_PORT);
	named(CHANNEL + 1, SERVER_PORT, CLIENT_PORT);
	assert_int_equal(first_calls__message(first, CHANNEL + 1, CLIENT, 25), 0);
	assert_int_equal(first_calls__message(first, CHANNEL, OTHER, 30), 0);
	assert_int_equal(call_at(CHANNEL, 30, 90).connect_ns, 0);

	/* The ports are used again later: this message was sent before that. */
	named(CHANNEL + 2, CLIENT_PORT, SERVER_PORT);
	connected(0, 100, 110);
	assert_int_equal(first_calls__message(first, CHANNEL + 2, CLIENT, 90), 0);

	/* A call that failed has made no connection, and one without names has no ports. */
	connected(ECONNREFUSED, 200, 210);
	assert_int_equal(first_calls__message(first, CHANNEL + 3, CLIENT, 220), 0);
	assert_int_equal(sum.requests, 0);
}

/* The socket of an end of a unix socket pair, by its inode, which may be that of ports, too. */
static void unix_named(uint32_t channel, uint64_t inode)
{
	const struct record_address address = {
		.channel = channel, .family = FAMILY_UNIX, .inode = inode};

	assert_int_equal(first_calls__address(first, &address), 0);
}

static void unix_connected(uint32_t inode, uint64_t enter_ns)
{
	const struct record_connect connect = {
		.head = record_head(RECORD_CONNECT, sizeof(connect), 0, CLIENT),
		.family = FAMILY_UNIX,
		.enter_ns = enter_ns,
		.exit_ns = enter_ns + 10,
		.number = inode,
	};
	const struct record_accept accept = {
		.family = FAMILY_UNIX, .exit_ns = enter_ns + 25, .number = inode};

	assert_int_equal(first_calls__connect(first, &connect), 0);
	first_calls__accept(first, &accept);
}

/*
 *	10 connect 20   30 sent   35 accepted   90 back
 */
TEST(a_unix_connection_is_known_by_the_inode_of_its_socket)
{
	struct call call;

	unix_connected(PORTS, 10);
	unix_named(CHANNEL, PORTS);
	unix_named(CHANNEL + 1, PORTS + 1); /* the other direction */
	assert_int_equal(first_calls__message(first, CHANNEL + 1, CLIENT, 25), 0);
	assert_int_equal(first_calls__message(first, CHANNEL, CLIENT, 30), 10);
	call = call_at(CHANNEL, 30, 90);
	assert_int_equal(call.connect_ns, 20);
	assert_int_equal(call.opening_ns, 25);
	assert_int_equal(call_at(CHANNEL, 95, 99).connect_ns, 0);
	assert_int_equal(sum.requests, 2);
}

/* An older recording has no inodes of unix sockets; and a TCP connection has none. */
TEST(an_inode_that_is_not_known_belongs_to_no_connection)
{
	unix_connected(0, 10);
	unix_named(CHANNEL, 0);
	assert_int_equal(first_calls__message(first, CHANNEL, CLIENT, 30), 0);
	unix_connected(PORTS, 110);
	named(CHANNEL + 1, CLIENT_PORT, SERVER_PORT);
	assert_int_equal(first_calls__message(first, CHANNEL + 1, CLIENT, 130), 0);
	assert_int_equal(sum.requests, 0);
}

TEST(history_is_kept_for_a_while)
{
	assert_int_equal(first_calls__horizon(first, 1000), UINT64_MAX);
	connected(0, 10, 20);
	assert_int_equal(first_calls__horizon(first, 1000), 10);
	assert_int_equal(first_calls__horizon(first, 5000000000), UINT64_MAX);
}
