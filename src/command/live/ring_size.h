/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that choose the size of the ring buffer and the longest time between two
 * reads. BPF programs pass records to user space through the ring buffer.
 */
#pragma once

#include "model/spec.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes, for a run that sends without a pause: records come as fast as the machine can produce
 * them, also while the reader has no CPU.
 */
#define RING_SIZE_LARGEST (64u << 20)

/*
 * Bytes, for an attach. The kernel makes, maps and frees a ring without a pause where it does not
 * preempt itself: 4 ms for this size, in which no real-time thread gets that CPU. It lasts for
 * 200 ms at 80 MB/s; see command/live/yield/hurry.h for how the reader keeps up.
 */
#define RING_SIZE_OF_ATTACH (16u << 20)

/* Bytes of kernel records for one message, at most. */
uint64_t ring_bytes_of_message(const struct workload_spec *spec);

/* Bytes. `drain_interval_ns` is how long the workload's own logs last. */
size_t ring_size_of_run(const struct workload_spec *spec, uint64_t drain_interval_ns);

/* The longest time between two drains: ns, at most `drain_interval_ns`. */
uint64_t ring_drain_interval_ns(const struct workload_spec *spec, uint64_t drain_interval_ns);
