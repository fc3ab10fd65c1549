/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring in shared memory that shm, eventfd and the signal transports have in common. */
#include "support/test.h"
#include "transport/transport.h"

#include <errno.h>
#include <string.h>

#define SLOTS 256

struct pair {
	struct medium *medium;
	struct end *server;
	struct end *client;
};

/* Both ends are in this thread: it never sends to one that sleeps. */
static struct pair pair_make(size_t size)
{
	const struct medium_spec spec = {.ops = &shm_transport, .clients = 1, .size = size};
	struct pair pair = {.medium = shm_transport.create(&spec)};

	assert_non_null(pair.medium);
	pair.server = shm_transport.open(pair.medium, LINK_SERVER);
	pair.client = shm_transport.open(pair.medium, 1);
	assert_non_null(pair.server);
	assert_non_null(pair.client);
	return pair;
}

static int send_to_client(const struct pair *pair, const void *data, size_t size)
{
	return shm_transport.send(pair->server, 1, data, size, false);
}

TEST(test_ring_wraps)
{
	struct pair pair = pair_make(sizeof(uint64_t));
	uint32_t from;
	uint64_t got;

	for (uint64_t i = 0; i < 3 * SLOTS; i += SLOTS) {
		for (uint64_t k = i; k < i + SLOTS; k++) {
			assert_int_equal(send_to_client(&pair, &k, sizeof(k)), 0);
			assert_int_equal(shm_transport.last_handover(pair.server)->position, k);
		}
		assert_int_equal(send_to_client(&pair, &i, sizeof(i)), -EAGAIN);
		for (uint64_t k = i; k < i + SLOTS; k++) {
			const struct handover *handover = shm_transport.last_handover(pair.client);

			assert_int_equal(
				shm_transport.receive(pair.client, &got, sizeof(got), &from),
				sizeof(got));
			assert_int_equal(got, k);
			assert_int_equal(handover->position, k);
			assert_true(handover->send_ns && handover->send_ns <= handover->queued_ns);
			assert_true(handover->queued_ns <= handover->exit_ns);
		}
	}
	shm_transport.close(pair.client);
	shm_transport.close(pair.server);
	shm_transport.destroy(pair.medium);
}

TEST(test_ring_ends)
{
	struct pair pair = pair_make(8);
	char data[9] = "12345678";
	uint32_t from;

	assert_int_equal(send_to_client(&pair, data, 9), -EMSGSIZE);
	assert_int_equal(send_to_client(&pair, data, 3), 0);
	shm_transport.close(pair.server);
	memset(data, 0, sizeof(data));
	assert_int_equal(shm_transport.receive(pair.client, data, 2, &from), 2);
	assert_string_equal(data, "12");
	assert_int_equal(shm_transport.receive(pair.client, data, 2, &from), 0);
	assert_int_equal(shm_transport.receive(pair.client, data, 2, &from), -ECONNRESET);
	/* The reader has left, so this does not wait. */
	assert_int_equal(shm_transport.send(pair.client, LINK_SERVER, data, 8, true), -EPIPE);
	shm_transport.close(pair.client);
	shm_transport.destroy(pair.medium);
}
