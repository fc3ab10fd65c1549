/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring in shared memory that shm, eventfd and the signal transports have in common. */
#include "support/queues.h"
#include "transport/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ring *ring_make(size_t size, uint32_t slots)
{
	size_t bytes = ring_bytes(size, slots);
	struct ring *ring = aligned_alloc(CACHE_LINE, bytes);

	assert_non_null(ring);
	memset(ring, 0, bytes);
	ring_init(ring, size, slots);
	return ring;
}

TEST(test_ring_wraps)
{
	struct ring *ring = ring_make(sizeof(uint64_t), 4);
	struct handover put, taken;
	uint64_t got;

	assert_int_equal(ring_look(ring), RING_EMPTY);
	for (uint64_t i = 0; i < 100; i += 4) {
		for (uint64_t k = i; k < i + 4; k++) {
			assert_int_equal(ring_put(ring, &k, sizeof(k), 77, &put), 0);
			assert_int_equal(put.position, k);
		}
		assert_int_equal(ring_put(ring, &i, sizeof(i), 77, &put), -EAGAIN);
		for (uint64_t k = i; k < i + 4; k++) {
			assert_int_equal(ring_look(ring), RING_READY);
			assert_int_equal(ring_get(ring, &got, sizeof(got), &taken), sizeof(got));
			assert_int_equal(got, k);
			assert_int_equal(taken.position, k);
			assert_int_equal(taken.send_ns, 77);
		}
		assert_int_equal(ring_look(ring), RING_EMPTY);
	}
	free(ring);
}

TEST(test_ring_ends)
{
	struct ring *ring = ring_make(8, 2);
	struct handover handover;
	char data[9] = "12345678";

	assert_int_equal(ring_put(ring, data, 9, 0, &handover), -EMSGSIZE);
	assert_int_equal(ring_put(ring, data, 3, 0, &handover), 0);
	ring_finish(ring);
	assert_int_equal(ring_look(ring), RING_READY);
	memset(data, 0, sizeof(data));
	assert_int_equal(ring_get(ring, data, 2, &handover), 2);
	assert_string_equal(data, "12");
	assert_int_equal(ring_look(ring), RING_FINISHED);
	ring_leave(ring);
	assert_int_equal(ring_put(ring, data, 8, 0, &handover), -EPIPE);
	/* The reader has left, so this does not wait for 1000 s. */
	ring_await_room(ring, 1000000000000);
	free(ring);
}
