/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines struct reader_spec, which says how the thread that reads records gets its CPU. */
#pragma once

#include <sched.h>

/*
 * READER_IDLE: a CPU only if no other thread wants it, as long as the ring buffer does not fill up.
 * READER_OTHER: as any other thread. READER_CPUS: the same, but only on `cpus`.
 * Recordings contain these numbers.
 */
enum reader_policy { READER_IDLE, READER_OTHER, READER_CPUS, NR_READER_POLICIES };

struct reader_spec {
	enum reader_policy policy;
	cpu_set_t cpus; /* READER_CPUS */
};
