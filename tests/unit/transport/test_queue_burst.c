/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages in one direction over transports whose messages lie in memory or in a queue, until there
 * is no room. */
#include "support/queues.h"
#include "transport/common.h"

#include <errno.h>
#include <unistd.h>

/* Messages in one direction. The large ones fill every queue. */
#define BURST       100
#define BURST_LARGE 40

/* More messages than a queue of exchanges holds. */
#define OVERFLOW 1000

static int burst(const struct ends_spec *spec)
{
	return spec->size < LARGE ? BURST : BURST_LARGE;
}

static void sender(struct ends_side *side)
{
	for (int i = 0; i < burst(side->spec); i++)
		ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
}

/* Receives until all clients have closed their ends. */
static void receiver(struct ends_side *side)
{
	uint32_t ended = 0;

	while (ended < side->spec->clients) {
		int count = ends_receive(side, NULL);

		ends_expect(side, count >= 0);
		ended += count == 0;
	}
	ends_expect(side, ends_receive(side, NULL) == -ECONNRESET);
}

static void push_server(struct ends_side *side)
{
	for (int i = 0; i < burst(side->spec); i++)
		for (uint32_t client = 1; client <= side->spec->clients; client++)
			ends_expect(side, ends_send(side, client, true) == 0);
}

static void push_client(struct ends_side *side)
{
	while (ends_receive(side, NULL) == 1)
		;
	ends_expect(side, ends_receive(side, NULL) == -ECONNRESET);
}

static void check_bursts(const struct ends_spec *spec)
{
	const struct ends_outcome *outcome = ends_run(spec, receiver, sender);

	assert_all(spec, outcome, 0, burst(spec));
	for (uint32_t client = 1; client <= spec->clients; client++)
		assert_int_equal(outcome->sides[LINK_SERVER].ended[client], 1);
	outcome = ends_run(spec, push_server, push_client);
	assert_all(spec, outcome, burst(spec), 0);
	for (uint32_t client = 1; client <= spec->clients; client++)
		assert_int_equal(outcome->sides[client].ended[LINK_SERVER], 1);
}

TEST(test_bursts)
{
	for (size_t i = 0; i < QUEUES_CNT; i++)
		queues_check_all(queues[i], READER_BLOCK, true, check_bursts);
}

TEST(test_readers_bursts)
{
	for (enum reader reader = READER_POLL; reader <= READER_EPOLL; reader++) {
		queues_check_all(&eventfd_transport, reader, true, check_bursts);
		queues_check_all(&mqueue_transport, reader, true, check_bursts);
	}
}

static bool is_ring(const struct transport_ops *ops)
{
	return ops != &mqueue_transport && ops != &sysv_transport;
}

/*
 * Fills the link to client 1, which waits. Then the client receives everything, and there is room.
 */
static void fill_server(struct ends_side *side)
{
	while (!ends_send(side, 1, false))
		;
	ends_expect(side, side->counts->error == -EAGAIN);
	/* This send waits for a second. All rings are alike, so one of them is enough. */
	if (!is_ring(side->spec->ops) || side->spec->ops == &shm_transport)
		ends_expect(side, ends_send(side, 1, true) == -EAGAIN);
	side->counts->value = side->counts->sent[1];
	ends_tell(side, 0);
	ends_await(side, 1, 1);
	ends_expect(side, ends_send(side, 1, false) == 0);
	ends_expect(side, ends_send(side, 1, true) == 0);
}

static void fill_client(struct ends_side *side)
{
	uint64_t filled;

	ends_await(side, 0, 1);
	filled = side->outcome->sides[LINK_SERVER].value;
	while (side->counts->received[LINK_SERVER] < filled)
		ends_expect(side, ends_receive(side, NULL) == 1);
	ends_tell(side, 1);
	while (ends_receive(side, NULL) == 1)
		;
}

/* How many messages a POSIX queue of any user holds at least. */
static uint64_t mqueue_least(void)
{
	long allowed = limit_read("/proc/sys/fs/mqueue/msg_max", 2);

	return allowed < 256 ? (uint64_t)allowed : 256;
}

TEST(test_full)
{
	struct ends_spec specs[QUEUES_CNT];
	const struct ends_outcome *outcomes;

	for (size_t i = 0; i < QUEUES_CNT; i++)
		specs[i] = (struct ends_spec){.ops = queues[i], .clients = 1, .size = 64};
	outcomes = ends_run_together(specs, QUEUES_CNT, fill_server, fill_client);
	for (size_t i = 0; i < QUEUES_CNT; i++) {
		uint64_t filled = outcomes[i].sides[LINK_SERVER].value;

		assert_true(filled >= (queues[i] == &mqueue_transport ? mqueue_least() : 2));
		queues_assert_direction(&outcomes[i], LINK_SERVER, 1, filled + 2);
	}
}

/*
 * A sender that sleeps for room goes on as soon as there is room, and not only after its timeout.
 */
static void patient_server(struct ends_side *side)
{
	while (!ends_send(side, 1, false))
		;
	ends_tell(side, 0);
	for (int i = 0; i < OVERFLOW; i++)
		ends_expect(side, ends_send(side, 1, true) == 0);
}

static void patient_client(struct ends_side *side)
{
	ends_await(side, 0, 1);
	usleep(20000);
	while (ends_receive(side, NULL) == 1)
		;
}

TEST(test_room_is_awaited)
{
	for (size_t i = 0; i < QUEUES_CNT; i++) {
		struct ends_spec spec = {.ops = queues[i], .clients = 1, .size = 64};
		const struct ends_outcome *outcome =
			ends_run(&spec, patient_server, patient_client);

		queues_assert_direction(outcome, LINK_SERVER, 1,
					outcome->sides[LINK_SERVER].sent[1]);
	}
}
