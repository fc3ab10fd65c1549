/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports that are made of descriptors: what a sender gets when there is no room, and messages
 * sent in parts. */
#include "support/fd_transports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_FULL, STEP_READ, STEP_MORE };

/* Sends until nothing fits. Then the client receives everything, and the link works as before. */
static void filling_server(struct ends_side *side)
{
	int err;

	while (!(err = ends_send(side, 1, false)))
		;
	ends_expect(side, err == -EAGAIN);
	ends_tell(side, STEP_FULL);
	ends_await(side, STEP_READ, 1);
	ends_expect(side, !ends_send(side, 1, false));
	ends_tell(side, STEP_MORE);
}

static void late_client(struct ends_side *side)
{
	uint64_t sent;

	ends_await(side, STEP_FULL, 1);
	sent = side->outcome->sides[LINK_SERVER].sent[1];
	receive_all(side, sent);
	/* Not a byte more: a part of the message that did not fit would be one. */
	ends_expect(side, side->counts->bytes[LINK_SERVER] == sent * side->spec->size);
	ends_tell(side, STEP_READ);
	receive_all(side, 1);
	ends_expect(side, ends_receive(side, NULL) == 0);
}

static void full(void **state)
{
	static const size_t full_sizes[] = {64, 4096, 5000, 65536};
	struct ends_spec spec = {.ops = *state, .clients = 1};

	for (int oneway = 0; oneway <= 1; oneway++) {
		spec.oneway = oneway;
		for (size_t i = 0; i < ARRAY_SIZE(full_sizes); i++) {
			const struct ends_outcome *outcome;

			spec.size = full_sizes[i];
			outcome = ends_run(&spec, filling_server, late_client);
			assert_true(outcome->sides[LINK_SERVER].sent[1] > 1);
			assert_int_equal(outcome->sides[1].received[LINK_SERVER],
					 outcome->sides[LINK_SERVER].sent[1]);
			assert_int_equal(corrupt(outcome), 0);
		}
	}
}

static void persistent_server(struct ends_side *side)
{
	int err;

	while (!(err = ends_send(side, 1, false)))
		;
	ends_expect(side, err == -EAGAIN);
	ends_tell(side, STEP_FULL);
	/*
	 * On a busy machine the reader may close only after the wait for the rest of a message, and
	 * TCP may find more room at the reader until then.
	 */
	while (!(err = ends_send(side, 1, false)) || err == -EAGAIN || err == -ETIMEDOUT)
		usleep(1000);
	ends_expect(side, err == -EPIPE || err == -ECONNRESET);
}

static void unread_client(struct ends_side *side)
{
	ends_await(side, STEP_FULL, 1);
}

/* A closed reader and a full link are different errors. */
static void full_and_gone(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 5000};

	ends_run(&spec, persistent_server, unread_client);
}

/* Waits in vain while the client does not receive, and waits again while it does. */
static void waiting_server(struct ends_side *side)
{
	while (!ends_send(side, 1, false))
		;
	ends_expect(side, ends_send(side, 1, true) == -EAGAIN);
	ends_tell(side, STEP_FULL);
	ends_expect(side, !ends_send(side, 1, true));
	ends_tell(side, STEP_MORE);
}

static void slow_client(struct ends_side *side)
{
	ends_await(side, STEP_FULL, 1);
	usleep(50000);
	while (ends_receive(side, NULL) > 0)
		;
}

TEST(full_and_waiting)
{
	const struct ends_spec specs[] = {
		{.ops = &uds_stream_transport, .clients = 1, .size = 65536},
		{.ops = &uds_seqpacket_transport, .clients = 1, .size = 65536},
		{.ops = &tcp_transport, .clients = 1, .size = 65536},
		{.ops = &pipe_transport, .clients = 1, .size = 65536},
	};
	const struct ends_outcome *outcomes =
		ends_run_together(specs, ARRAY_SIZE(specs), waiting_server, slow_client);

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		assert_int_equal(outcomes[i].steps[STEP_MORE], 1);
		assert_int_equal(outcomes[i].sides[1].received[LINK_SERVER],
				 outcomes[i].sides[LINK_SERVER].sent[1]);
		assert_int_equal(corrupt(&outcomes[i]), 0);
	}
}

static unsigned char stream_byte(size_t place)
{
	return (unsigned char)(place * 7 + place / 251);
}

/* Sends bytes from `place` on as one message. */
static int part_send(struct ends_side *side, size_t place, size_t size, bool wait)
{
	unsigned char *data = malloc(size);
	int err;

	for (size_t i = 0; i < size; i++)
		data[i] = stream_byte(place + i);
	err = side->spec->ops->send(side->end, 1, data, size, wait);
	free(data);
	return err;
}

/*
 * Whether these are the bytes from `place` on. A sender of a large message has a time limit, so the
 * check must be quick.
 */
static bool is_stream(const unsigned char *data, size_t size, size_t place)
{
	unsigned char difference = 0;

	for (size_t i = 0; i < size; i++)
		difference |= data[i] ^ stream_byte(place + i);
	return !difference;
}

/* Receives up to `count` bytes or the end, and checks them. Returns how many came. */
static size_t parts_receive(struct ends_side *side, size_t count)
{
	unsigned char data[4096];
	size_t place = 0;
	uint32_t from;

	while (place < count) {
		size_t left = count - place;
		ssize_t came = side->spec->ops->receive(
			side->end, data, left < sizeof(data) ? left : sizeof(data), &from);

		ends_expect(side, came >= 0);
		if (came <= 0)
			break;
		ends_expect(side, is_stream(data, (size_t)came, place));
		place += (size_t)came;
	}
	return place;
}

/* The size of message `i`. Two messages of 2049 bytes use two pages of a pipe. */
static size_t any_size(size_t i)
{
	return i * i * 5 % 70001 + 1;
}

static size_t wasteful_size(size_t i)
{
	return i % 8 ? 2049 : 65536;
}

static size_t (*mixing_size)(size_t i);

/* Every size uses another share of the room. The message that does not fit leaves no trace. */
static void mixing_server(struct ends_side *side)
{
	size_t place = 0, i = 0;
	int err;

	while (!(err = part_send(side, place, mixing_size(i), false)))
		place += mixing_size(i++);
	ends_expect(side, err == -EAGAIN);
	side->counts->value = place;
	ends_tell(side, STEP_FULL);
	ends_await(side, STEP_READ, 1);
}

static void mixing_client(struct ends_side *side)
{
	size_t sent;

	ends_await(side, STEP_FULL, 1);
	sent = side->outcome->sides[LINK_SERVER].value;
	ends_expect(side, parts_receive(side, sent) == sent);
	ends_tell(side, STEP_READ);
	ends_expect(side, parts_receive(side, 1) == 0);
}

static void mixed_sizes(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};
	const struct ends_outcome *outcome;

	for (int run = 0; run < 4; run++) {
		spec.oneway = run % 2;
		mixing_size = run / 2 ? wasteful_size : any_size;
		outcome = ends_run(&spec, mixing_server, mixing_client);
		assert_true(outcome->sides[LINK_SERVER].value > 1);
	}
}

/* Larger than all buffers. */
#define GIANT ((size_t)24 << 20)

/* Runs at most, if each time the client had no CPU for most of the second that a send may take. */
#define GIANT_TRIES 20

static void giant_server(struct ends_side *side)
{
	int err = part_send(side, 0, GIANT, false);

	if (!err)
		err = part_send(side, GIANT, GIANT, true);
	ends_expect(side, !err || err == -ETIMEDOUT);
	side->counts->value = (uint64_t)-err;
}

static void giant_client(struct ends_side *side)
{
	side->counts->value = parts_receive(side, 2 * GIANT);
}

static void giant(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};
	const struct ends_outcome *outcome;
	unsigned int tries = GIANT_TRIES;

	do
		outcome = ends_run(&spec, giant_server, giant_client);
	while (outcome->sides[LINK_SERVER].value == ETIMEDOUT && --tries);
	assert_int_equal(outcome->sides[LINK_SERVER].value, 0);
	assert_int_equal(outcome->sides[1].value, 2 * GIANT);
}

/* An incomplete message is followed by the end of the stream, never by another message. */
static void stuck_server(struct ends_side *side)
{
	ends_expect(side, part_send(side, 0, GIANT, false) == -ETIMEDOUT);
	ends_expect(side, part_send(side, 0, 1, true) == -EPIPE);
	ends_tell(side, STEP_FULL);
	ends_await(side, STEP_READ, 1);
}

static void stuck_client(struct ends_side *side)
{
	ends_await(side, STEP_FULL, 1);
	side->counts->value = parts_receive(side, GIANT);
	ends_tell(side, STEP_READ);
}

TEST(stuck_halfway)
{
	const struct ends_spec specs[] = {
		{.ops = &uds_stream_transport, .clients = 1, .size = 64},
		{.ops = &tcp_transport, .clients = 1, .size = 64},
		{.ops = &pipe_transport, .clients = 1, .size = 64},
	};
	const struct ends_outcome *outcomes =
		ends_run_together(specs, ARRAY_SIZE(specs), stuck_server, stuck_client);

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		assert_in_range(outcomes[i].sides[1].value, 1, GIANT - 1);
}

TEST_LIST(RELIABLE(full), RELIABLE(full_and_gone), STREAMS(mixed_sizes), STREAMS(giant))
