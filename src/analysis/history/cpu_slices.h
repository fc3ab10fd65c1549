/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ran on each CPU while traced threads waited for it, put together from SLICE records that may
 * come in any order.
 */
#ifndef IPCTRACE_ANALYSIS_HISTORY_CPU_SLICES_H
#define IPCTRACE_ANALYSIS_HISTORY_CPU_SLICES_H

#include "bpf/record.h"

#include <stddef.h>

/* Kept per CPU and kind, more than come at once; older ones are dropped, and then unknown. */
#define CPU_SLICES_MAX (1u << 21)

/* What a share can be besides an enum slice_kind. */
enum {
	SHARE_UNKNOWN = NR_SLICE_KINDS, /* a record was lost, or a switch went unseen */
	SHARE_THROTTLED,                /* bandwidth control: whoever ran, it did not matter */
};

/* A stretch of a wait, and who ran. */
struct cpu_share {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t kind;    /* enum slice_kind or SHARE_ */
	uint32_t id;      /* thread, interrupt or softirq */
	uint64_t seen_ns; /* when it was seen to run: to look up its name at */
};

#define CPU_SHARES_MAX 1024

struct cpu_shares {
	struct cpu_share share[CPU_SHARES_MAX];
	uint32_t cnt;
};

struct cpu_slices;

struct cpu_slices *cpu_slices__new(void); /* NULL: out of memory */
void cpu_slices__free(struct cpu_slices *history);

/* 0 or -ENOMEM. */
int cpu_slices__add(struct cpu_slices *history, const struct record_slice *slice);

/* A stretch of a thread's wait for a CPU. */
struct cpu_wait {
	uint32_t cpu;
	uint32_t held_kind; /* what it is while the CPU is idle and may not run the thread */
	uint64_t began_ns;  /* it has waited for this CPU since then */
	uint64_t from_ns;
	uint64_t to_ns;
};

/*
 * Who ran on the CPU in [from_ns, to_ns]: contiguous shares that add up to it exactly, in the order
 * of time.
 */
void cpu_slices__cut(struct cpu_slices *history, const struct cpu_wait *wait,
		     struct cpu_shares *shares);

/* All of it one share of that kind. */
void cpu_shares_single(struct cpu_shares *shares, uint64_t from_ns, uint64_t to_ns, uint32_t kind);

/* Slices that are kept, of all CPUs. */
size_t cpu_slices__cnt(const struct cpu_slices *history);

/* Forgets what no interval from `horizon_ns` on needs. */
void cpu_slices__trim(struct cpu_slices *history, uint64_t horizon_ns);

#endif
