/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates how many bytes of records come between two drains (reads) of the ring buffer. */
#include "command/live/ring_size.h"

#include "workload/workload.h"

/* The kernel records of one message, at most. */
#define BYTES_PER_MESSAGE 300

/*
 * A message that is received in parts, or is larger than the least buffer on its way, lets both
 * sides sleep in between: their changes of state need so many bytes for each part, at most.
 */
#define BUFFER_LEAST   4096
#define BYTES_PER_PART 150

/*
 * The ring buffer holds this many times what gathers between two drains. A drain may be late, and
 * other tasks make records too: a traced thread that waits behind two tasks that do nothing but
 * wake each other gets a record for each of their switches. The size has bounds, because large
 * rings cost memory.
 */
#define RING_RESERVE    8
#define SIZE_OF_RUN_MIN (8u << 20)
#define SIZE_OF_RUN_MAX (16u << 20)

uint64_t ring_bytes_of_message(const struct workload_spec *spec)
{
	uint64_t read_size = spec->read_size ? spec->read_size : BUFFER_LEAST;

	return BYTES_PER_MESSAGE + spec->size / read_size * BYTES_PER_PART;
}

/* A tick sends to all clients. Without ticks, the server serves one client after the other. */
static uint64_t ring_size_bytes_in(const struct workload_spec *spec, uint64_t ns)
{
	uint64_t messages = spec->period_ns ? spec->clients : 1;

	return BYTES_PER_MESSAGE * messages * (ns / workload_step_ns(spec) + 1);
}

size_t ring_size_of_run(const struct workload_spec *spec, uint64_t drain_interval_ns)
{
	uint64_t wanted = RING_RESERVE * ring_size_bytes_in(spec, drain_interval_ns);

	if (!spec->period_ns)
		return RING_SIZE_LARGEST;
	return wanted < SIZE_OF_RUN_MIN   ? SIZE_OF_RUN_MIN
	       : wanted > SIZE_OF_RUN_MAX ? SIZE_OF_RUN_MAX
					  : wanted;
}

/* A part of the largest ring of a run must hold the records of this interval. */
uint64_t ring_drain_interval_ns(const struct workload_spec *spec, uint64_t drain_interval_ns)
{
	uint64_t ring_ns = SIZE_OF_RUN_MAX / RING_RESERVE / ring_size_bytes_in(spec, 0) *
			   workload_step_ns(spec);

	return ring_ns < drain_interval_ns ? ring_ns : drain_interval_ns;
}
