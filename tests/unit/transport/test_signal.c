/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports signal and signal-std: how many signals are sent, queued and merged. */
#include "support/queues.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

/* Messages in one direction: more than a queue of exchanges holds. */
#define BURST 500

static void wakes_note(struct ends_side *side)
{
	uint64_t sent, delivered;

	side->spec->ops->wakes(side->end, &sent, &delivered);
	side->counts->value = sent << 32 | delivered;
}

static uint64_t sent_of(const struct ends_counts *counts)
{
	return counts->value >> 32;
}

static uint64_t delivered_of(const struct ends_counts *counts)
{
	return counts->value & UINT32_MAX;
}

/* Sends a burst to a client that receives only after it. */
static void burst_server(struct ends_side *side)
{
	for (int i = 0; i < 100; i++)
		ends_expect(side, ends_send(side, 1, true) == 0);
	wakes_note(side);
	ends_tell(side, 0);
	ends_await(side, 2, 1);
}

static void burst_client(struct ends_side *side)
{
	sigset_t pending;

	ends_await(side, 0, 1);
	for (int i = 0; i < 100; i++)
		ends_expect(side, ends_receive(side, NULL) == 1);
	/* Each message has consumed its signal. */
	sigpending(&pending);
	ends_expect(side, !sigismember(&pending, SIGRTMIN));
	ends_tell(side, 2);
	ends_expect(side, ends_receive(side, NULL) == 0);
	wakes_note(side);
}

TEST(test_signals_queue)
{
	struct ends_spec spec = {.ops = &signal_transport, .clients = 1, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, burst_server, burst_client);

	queues_assert_direction(outcome, LINK_SERVER, 1, 100);
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 100);
	assert_int_equal(delivered_of(&outcome->sides[1]), 100);
	assert_int_equal(delivered_of(&outcome->sides[LINK_SERVER]), 0);
	assert_int_equal(sent_of(&outcome->sides[1]), 0);
}

TEST(test_signals_merge)
{
	struct ends_spec spec = {.ops = &signal_std_transport, .clients = 1, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, burst_server, burst_client);

	queues_assert_direction(outcome, LINK_SERVER, 1, 100);
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 100);
	assert_int_equal(delivered_of(&outcome->sides[1]), 1);
}

static void counting_server(struct ends_side *side)
{
	queues_echo_server(side);
	wakes_note(side);
	ends_tell(side, 0);
	ends_await(side, 1, side->spec->clients);
}

static void counting_client(struct ends_side *side)
{
	queues_echo_client(side);
	ends_tell(side, 1);
	ends_await(side, 0, 1);
	wakes_note(side);
}

/* Counts in both directions of several links. */
TEST(test_signals_counted)
{
	struct ends_spec spec = {.ops = &signal_transport, .clients = 3, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, counting_server, counting_client);

	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 3 * EXCHANGES);
	for (uint32_t client = 1; client <= 3; client++) {
		assert_int_equal(sent_of(&outcome->sides[client]), EXCHANGES);
		assert_int_equal(delivered_of(&outcome->sides[client]), EXCHANGES);
	}
	spec.ops = &signal_std_transport;
	outcome = ends_run(&spec, counting_server, counting_client);
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 3 * EXCHANGES);
	assert_true(delivered_of(&outcome->sides[LINK_SERVER]) <= 3 * EXCHANGES);
	assert_true(delivered_of(&outcome->sides[LINK_SERVER]) > 0);
}

static void no_signal_queue(void)
{
	const struct rlimit none = {0};

	setrlimit(RLIMIT_SIGPENDING, &none);
}

static void unqueued_server(struct ends_side *side)
{
	no_signal_queue();
	queues_echo_server(side);
}

static void unqueued_client(struct ends_side *side)
{
	no_signal_queue();
	queues_echo_client(side);
}

static void unqueued_burst_client(struct ends_side *side)
{
	no_signal_queue();
	ends_tell(side, 1);
	burst_client(side);
}

static void unqueued_burst_server(struct ends_side *side)
{
	ends_await(side, 1, 1);
	burst_server(side);
}

TEST(test_signal_queue_full)
{
	struct ends_spec spec = {.ops = &signal_transport, .clients = 3, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, unqueued_server, unqueued_client);

	for (uint32_t client = 1; client <= 3; client++)
		queues_assert_direction(outcome, LINK_SERVER, client, EXCHANGES);
	spec.clients = 1;
	outcome = ends_run(&spec, unqueued_burst_server, unqueued_burst_client);
	queues_assert_direction(outcome, LINK_SERVER, 1, 100);
	assert_int_equal(delivered_of(&outcome->sides[1]), 1);
}
