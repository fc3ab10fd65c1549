/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording of windows whose last window goes to the end of tracing, and in which further records
 * of events stand behind that end. Only a forged one has them.
 */
#include "analysis/attach_fixture.h"

#include "model/window_records.h"

enum { MESSAGES = 20 };

static void put_window(void)
{
	struct record_window window = {
		.head = {.type = RECORD_WINDOW, .words = RECORD_WORDS(window)},
		.from_ns = 1000,
		.begun_ns = 1000,
	};

	put(&window);
}

/* A round of the target to two peers, and a call of a peer, again and again. */
static void put_events(uint64_t position)
{
	for (uint64_t i = 0; i < MESSAGES; i++) {
		uint64_t at = 10000 + 10000 * (position + i);

		put_send(&tape, TARGET, FROM_TARGET, position + i, at, at + 100);
		put_receive(&tape, PEER, FROM_TARGET, position + i, at + 150, at + 400, 0,
			    NO_CHANGES);
		put_send(&tape, TARGET, 9, position + i, at + 500, at + 600);
		put_receive(&tape, OTHER_PEER, 9, position + i, at + 650, at + 900, 0, NO_CHANGES);
		put_send(&tape, PEER, TO_TARGET, position + i, at + 1000, at + 1100);
		put_receive(&tape, TARGET, TO_TARGET, position + i, at + 1150, at + 1400, 0,
			    NO_CHANGES);
	}
}

static void put_part(uint64_t position)
{
	put_threads();
	put_connection();
	put_channel(9, TRANSPORT_UDS_SEQPACKET, TARGET_END, 13);
	put_baseline(9, 0, true);
	put_events(position);
	put_watermark(&tape, UINT64_MAX);
}

static size_t messages_of(enum mode mode)
{
	size_t cnt;

	info.mode = mode;
	heard = hear(&info, &tape);
	cnt = heard.cnt;
	hearing_free(&heard);
	return cnt;
}

/* The first watermark at the end has finished the analysis of the window. */
TEST(what_follows_the_end_of_tracing_is_left_out)
{
	size_t cnt;

	put_window();
	put_part(0);
	cnt = messages_of(MODE_ATTACH);
	assert_int_equal(cnt, 3 * MESSAGES);
	put_part(MESSAGES);
	put_watermark(&tape, UINT64_MAX);
	put_end(&tape);
	assert_int_equal(messages_of(MODE_ATTACH), cnt);
	messages_of(MODE_RUN);
}

/* A forged one, too. */
TEST(a_window_after_the_end_of_tracing_is_a_window)
{
	put_window();
	put_part(0);
	put_window();
	put_part(0);
	put_end(&tape);
	assert_int_equal(messages_of(MODE_ATTACH), 2 * 3 * MESSAGES);
	messages_of(MODE_RUN);
}
