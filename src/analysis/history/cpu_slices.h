/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds slices, times in which one task or interrupt ran on a CPU, and finds what ran there while a
 * thread waited for the CPU. SLICE records may be added in any order.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Kept per CPU and kind. Older slices are dropped, and their time is then unknown. */
#define CPU_SLICES_MAX (1u << 21)

/* Kinds of a share besides enum slice_kind. */
enum {
	SHARE_UNKNOWN = NR_SLICE_KINDS, /* a record was lost, or a switch was not traced */
	SHARE_THROTTLED,                /* bandwidth control held the waiting thread back */
	SHARE_FOLDED,                   /* of blame only: several culprits */
	SHARE_STOLEN,                   /* of blame only: the host took the CPU away */
};

/* A part of a wait, and what ran on the CPU. */
struct cpu_share {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t kind;    /* enum slice_kind or SHARE_ */
	uint32_t id;      /* thread, interrupt or softirq */
	bool is_own;      /* softirq: the thread that it interrupted had raised it (SLICE_OWN) */
	bool is_reserve;  /* task: it ran before a runnable real-time thread (SLICE_RESERVE) */
	uint64_t seen_ns; /* an instant at which it ran, to look up its name */
};

#define CPU_SHARES_MAX 1024

struct cpu_shares {
	struct cpu_share share[CPU_SHARES_MAX];
	uint32_t cnt;
};

struct cpu_slices;

struct cpu_slices *cpu_slices__new(void); /* NULL: out of memory */
void cpu_slices__free(struct cpu_slices *slices);

/* 0 or -ENOMEM. */
int cpu_slices__add(struct cpu_slices *slices, const struct record_slice *slice);

/* A part of a thread's wait for a CPU. */
struct cpu_wait {
	uint32_t cpu;
	uint32_t held_kind; /* the kind of share while the CPU is idle and may not run the thread */
	uint64_t began_ns;  /* since when the thread waits for this CPU */
	uint64_t from_ns;
	uint64_t to_ns;
};

/*
 * Fills in what ran on the CPU in [from_ns, to_ns]: shares in the order of time that cover it
 * without gaps.
 */
void cpu_slices__cut(struct cpu_slices *slices, const struct cpu_wait *wait,
		     struct cpu_shares *shares);

/*
 * --level deep: fills in the interrupts and softirqs of a stretch in which a traced thread ran on
 * the CPU, in the order of time, without overlaps: an interrupt in a softirq takes its time from
 * that. The rest of the stretch is the thread's own. What is missing did not happen, because each
 * of them has a record that interrupts a traced thread. If such a record is lost, which the next
 * slice of this CPU shows, all of the stretch is one SHARE_UNKNOWN. Not shown are interrupts for
 * which the kernel has no tracepoint (those of some hypervisors, and from CPU to CPU on arm64), and
 * their ways in and out. At other levels nothing of this holds.
 */
void cpu_slices__interrupts(struct cpu_slices *slices, uint32_t cpu, uint64_t from_ns,
			    uint64_t to_ns, struct cpu_shares *shares);

/* Makes all of it one share of that kind. */
void cpu_shares_single(struct cpu_shares *shares, uint64_t from_ns, uint64_t to_ns, uint32_t kind);

/* How many slices of all CPUs are kept. */
size_t cpu_slices__cnt(const struct cpu_slices *slices);

/* Forgets the slices that no wait from `horizon_ns` on needs. */
void cpu_slices__trim(struct cpu_slices *slices, uint64_t horizon_ns);
