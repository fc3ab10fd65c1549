/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exchanges of the pattern connect, by hand. `base` is when the client begins:
 *
 *	base  +10      +20     +35   +60    +64  +90     +100   +170  +200
 *	begun connect  queued  wake  switch run  accept  stamp  user  closed
 *	  |socket|connect|wakeup| queue|switch|accept|service|message|close|
 */
#include "support/build.h"
#include "bpf/record_connections.h"

#include <string.h>

enum { SERVER = 100, CLIENT = 101, OTHER = 102, CHANNEL = 7 };

static struct tape tape;
static struct run_info info;
static struct hearing heard;
static uint64_t changes[3]; /* recorded so far, by client; 0: of the server */

static int setup(void **state)
{
	memset(&info, 0, sizeof(info));
	memset(changes, 0, sizeof(changes));
	info.traced = info.shows_switch = true;
	info.workload.clients = 2;
	strcpy(info.workload.pattern, "connect");
	put_role(&tape, SERVER, ROLE_SERVER, 0);
	put_role(&tape, CLIENT, ROLE_CLIENT, 1);
	put_role(&tape, OTHER, ROLE_CLIENT, 2);
	return 0;
}

static int teardown(void **state)
{
	hearing_free(&heard);
	tape_free(&tape);
	memset(&tape, 0, sizeof(tape));
	return 0;
}

EACH_TEST(setup, teardown)

static void put_connect(uint32_t client, uint64_t base)
{
	struct record_connect connect = {
		.head = record_head(RECORD_CONNECT, sizeof(connect), 0, SERVER + client),
		.family = FAMILY_UNIX,
		.enter_ns = base + 10,
		.queued_ns = base + 20,
		.exit_ns = base + 25,
		.address = 40 + client,
	};

	tape_add(&tape, &connect);
}

static void put_accept(uint32_t client, uint64_t base, uint64_t exit_ns)
{
	struct record_accept accept = {
		.head = record_head(RECORD_ACCEPT, sizeof(accept), 0, SERVER),
		.family = FAMILY_UNIX,
		.enter_ns = base - 10,
		.exit_ns = exit_ns,
		.address = 40 + client,
		.listener = 5,
		.backlog = 8,
	};

	put_changes(&tape, SERVER, exit_ns, changes[0],
		    CHANGES(SLEEP(base - 5, 0), WAKE(base + 35, 0), SWITCH(base + 60, 0),
			    RUN(base + 64, 0)));
	changes[0] += 4;
	tape_add(&tape, &accept);
}

/* Each connection has a channel of its own. */
static void put_text(uint32_t client, uint64_t base)
{
	uint32_t channel = CHANNEL + base / 1000;

	put_send(&tape, SERVER, channel, 0, base + 110, base + 120);
	put_receive(&tape, SERVER + client, channel, 0, base + 50, base + 160, changes[client],
		    CHANGES(SLEEP(base + 60, 1), WAKE(base + 130, 1), SWITCH(base + 140, 1),
			    RUN(base + 145, 1)));
	changes[client] += 4;
}

static void put_readings(uint32_t client, uint64_t index, uint64_t base, uint64_t closed_ns)
{
	struct record_stamp_exchange exchange = {
		.stamp = make_stamp(client, index, base + 100, base + 170),
		.begun_ns = base,
		.connected_ns = base + 30,
		.closed_ns = closed_ns,
	};

	exchange.stamp.head = record_head(RECORD_STAMP, sizeof(exchange), 0, SERVER + client);
	tape_add(&tape, &exchange);
}

static void put_exchange(uint32_t client, uint64_t index, uint64_t base)
{
	put_connect(client, base);
	put_accept(client, base, base + 90);
	put_text(client, base);
	put_readings(client, index, base, base + 200);
}

static const struct exchanges_summary *play(void)
{
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_int_equal(heard.summary->integrity.residual_ns_max, 0);
	return &heard.summary->exchanges;
}

static void assert_cut(const struct message *message)
{
	static const uint64_t parts[NR_EXCHANGE_PARTS] = {
		[EXCHANGE_SOCKET] = 10,   [EXCHANGE_CONNECT] = 10, [EXCHANGE_WAKEUP] = 15,
		[EXCHANGE_RUNQUEUE] = 25, [EXCHANGE_SWITCH] = 4,   [EXCHANGE_ACCEPT] = 26,
		[EXCHANGE_SERVICE] = 10,  [EXCHANGE_MESSAGE] = 70, [EXCHANGE_CLOSE] = 30,
	};

	assert_true(message->exchange.is_cut);
	assert_int_equal(message->exchange.latency_ns, 200);
	assert_memory_equal(message->exchange.part_ns, parts, sizeof(parts));
}

TEST(the_parts_of_an_exchange_add_up)
{
	const struct exchanges_summary *exchanges;

	put_exchange(1, 0, 1000);
	exchanges = play();
	assert_int_equal(heard.cnt, 1);
	assert_cut(&heard.message[0]);
	assert_int_equal(exchanges->latency.count, 1);
	assert_int_equal(exchanges->uncut, 0);
	assert_int_equal(heard.summary->connections.calls, 1);
	assert_int_equal(heard.summary->connections.latency.sum, 80);
	assert_int_equal(heard.summary->connections.listener[0].server.pid, SERVER);
}

TEST(the_warmup_counts_nowhere)
{
	const struct exchanges_summary *exchanges;

	info.workload.warmup = 1;
	put_exchange(1, 0, 1000);
	put_exchange(1, 1, 2000);
	exchanges = play();
	assert_int_equal(exchanges->latency.count, 1);
	assert_int_equal(heard.summary->connections.latency.count, 1);
	assert_int_equal(heard.summary->connections.calls, 1);
	assert_cut(&heard.message[0]);
}

/* The connection of the exchange before has the same link, but was begun before it. */
TEST(no_other_connection_stands_for_a_lost_one)
{
	const struct exchanges_summary *exchanges;

	put_exchange(1, 0, 1000);
	put_connect(1, 2000); /* its ACCEPT is lost */
	put_text(1, 2000);
	put_readings(1, 1, 2000, 2200);
	put_exchange(1, 2, 3000);
	exchanges = play();
	assert_int_equal(heard.summary->integrity.matched, 3);
	assert_int_equal(exchanges->latency.count, 2);
	assert_int_equal(exchanges->uncut, 1);
	assert_cut(&heard.message[0]);
	assert_false(heard.message[1].exchange.is_cut);
	assert_cut(&heard.message[2]);
}

TEST(a_connection_that_is_accepted_after_the_stamp_is_of_no_exchange)
{
	const struct exchanges_summary *exchanges;

	put_connect(1, 1000);
	put_accept(1, 1000, 1101);
	put_text(1, 1000);
	put_readings(1, 0, 1000, 1200);
	exchanges = play();
	assert_int_equal(exchanges->latency.count, 0);
	assert_int_equal(exchanges->uncut, 1);
}

TEST(clients_at_once_have_their_own_connections)
{
	const struct exchanges_summary *exchanges;

	put_connect(1, 1000);
	put_connect(2, 1000);
	put_accept(1, 1000, 1090);
	put_text(1, 1000);
	put_readings(1, 0, 1000, 1200);
	put_exchange(2, 0, 2000); /* its first connection was never accepted */
	exchanges = play();
	assert_int_equal(exchanges->latency.count, 2);
	assert_int_equal(heard.summary->connections.not_accepted, 1);
	assert_cut(&heard.message[0]);
	assert_cut(&heard.message[1]);
}

TEST(readings_out_of_order_are_no_exchange)
{
	const struct exchanges_summary *exchanges;

	put_connect(1, 1000);
	put_accept(1, 1000, 1090);
	put_text(1, 1000);
	put_readings(1, 0, 1000, 1169);
	exchanges = play();
	assert_int_equal(heard.summary->integrity.matched, 1);
	assert_int_equal(exchanges->latency.count, 0);
	assert_int_equal(exchanges->uncut, 0);
}

TEST(older_recordings_have_no_exchanges)
{
	const struct exchanges_summary *exchanges;

	put_text(1, 1000);
	put_stamp(&tape, 1, 0, 1100, 1170);
	exchanges = play();
	assert_int_equal(heard.summary->integrity.matched, 1);
	assert_int_equal(exchanges->latency.count, 0);
	assert_int_equal(exchanges->uncut, 0);
}

TEST(without_tracing_the_clock_of_the_client_is_all)
{
	const struct exchanges_summary *exchanges;

	info.traced = false;
	put_readings(1, 0, 1000, 1200);
	exchanges = play();
	assert_int_equal(exchanges->latency.sum, 200);
	assert_int_equal(exchanges->part[EXCHANGE_MESSAGE].sum, 70);
	assert_int_equal(exchanges->part[EXCHANGE_CLOSE].sum, 30);
	assert_int_equal(exchanges->part[EXCHANGE_CONNECT].count, 0);
}
