/* SPDX-License-Identifier: BSD-2-Clause */
/* What wakes a server that answers then, and is no request of another client. */
#include "support/conversation.h"

static void connect_other(void)
{
	add_channel(3, 21, SERVER_END + 1);
	add_name(3, ADDRESS_OF_RECEIVER);
}

/* What comes over channel 3 wakes the server, which answers then. */
static void serve_when_woken(uint32_t by, bool is_within)
{
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t at_ns = 10000 * (i + 1);

		request(at_ns, at_ns + 10);
		put_sleep(SERVER, CHANGE_POLL_IN, at_ns + 20, 4 * i);
		ends.is_within = is_within;
		say(3, by, SERVER, at_ns + 5000, at_ns + 5010);
		ends.is_within = false;
		answer(at_ns + 5020, at_ns + 5030);
	}
	assert_sums(10, 10 * 5030, 10 * 10, 10 * 5010, 10 * 10);
	assert_int_equal(calls.undecided, 0);
}

EACH_TEST(conversation_setup, conversation_teardown)

/* As in asyncio: its threads write a byte to the socket pair of the loop. */
TEST(a_byte_that_wakes_the_loop_is_no_request)
{
	connect_named();
	connect_other();
	serve_when_woken(WORKER, true);
}

/* As with CGI: there is no pipe back to the child. */
TEST(the_output_of_a_child_is_no_request)
{
	connect_named();
	call_direction_pipe(direction_of(3), 77, 78);
	serve_when_woken(CLIENT + 1, false);
}
