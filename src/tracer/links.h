/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how loaded BPF programs are attached to their tracepoints, and detached from them. The
 * skeleton cannot do this: the object for older kernels has programs that the skeleton does not
 * know.
 */
#pragma once

#include "tracer/kernel_traits.h"

#include <stddef.h>
#include <stdint.h>

struct bpf_link;
struct bpf_object;

/* Attached programs. All zeros: none. */
struct links {
	struct bpf_link **link;
	size_t cnt;
};

/*
 * Attaches each loaded program that belongs to a tracepoint, in the order of the sources. Programs
 * at one tracepoint run in this order. 0 or -errno; the links that were made stay.
 */
int links_attach(struct links *links, struct bpf_object *object);

/* Detaches all programs, in the same order: a program goes before its twins. */
void links_detach(struct links *links);

struct bpf_object;

/*
 * Sums the run times (ns, only while the kernel measures them) and the misses of all loaded
 * programs. An event that a program misses is handled by its twins, except as many as each twin
 * missed itself. 0 or -errno.
 */
int program_stats_sum(const struct bpf_object *object, const struct kernel_traits *traits,
		      uint64_t *run_ns, uint64_t *misses);
