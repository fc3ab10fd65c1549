/* SPDX-License-Identifier: BSD-2-Clause */
/* What an attach is about: its calls, rounds, connections, or else messages. */
#include "support/test.h"

#include "insight/metrics.h"

static struct summary summary;

static int setup(void **state)
{
	(void)state;
	summary = (struct summary){.info.mode = MODE_ATTACH};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return 0;
}

EACH_TEST(setup, teardown)

TEST(connections_alone_are_the_units)
{
	summary.connections.latency.count = 3;
	assert_int_equal(summary_unit(&summary), UNIT_CONNECTION);
}

TEST(without_anything_messages_are)
{
	assert_int_equal(summary_unit(&summary), UNIT_MESSAGE);
}

TEST(a_message_on_each_connection_is_part_of_what_the_client_does)
{
	summary.connections.latency.count = 1000;
	summary.integrity.matched = 2000;
	assert_int_equal(summary_unit(&summary), UNIT_CONNECTION);
	summary.integrity.matched = 2001;
	assert_int_equal(summary_unit(&summary), UNIT_MESSAGE);
}

/* A call on a new connection contains it. */
TEST(calls_come_before_connections)
{
	summary.connections.latency.count = 1000;
	summary.integrity.matched = summary.calls.messages = 2000;
	summary.calls.count = 1000;
	assert_int_equal(summary_unit(&summary), UNIT_CALL);
}
