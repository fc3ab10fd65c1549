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
 * Bytes, for an attach and for a run that sends without a pause: records come as fast as the
 * machine can produce them, also while the reader has no CPU.
 */
#define RING_SIZE_LARGEST (64u << 20)

/* Bytes. `drain_interval_ns` is how long the workload's own logs last. */
size_t ring_size_of_run(const struct workload_spec *spec, uint64_t drain_interval_ns);

/* The longest time between two drains: ns, at most `drain_interval_ns`. */
uint64_t ring_drain_interval_ns(const struct workload_spec *spec, uint64_t drain_interval_ns);
