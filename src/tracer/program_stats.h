/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a function that sums the kernel's statistics of BPF programs. */
#pragma once

#include "tracer/kernel_traits.h"

#include <stdint.h>

struct bpf_object;

/*
 * Sums the run times (ns, only while the kernel measures them) and the misses of all loaded
 * programs. An event that a program misses is handled by its twins, except as many as each twin
 * missed itself. 0 or -errno.
 */
int program_stats_sum(const struct bpf_object *object, const struct kernel_traits *traits,
		      uint64_t *run_ns, uint64_t *misses);
