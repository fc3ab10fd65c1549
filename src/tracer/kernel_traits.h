/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel offers to programs at its tracepoints, as its types (BTF) tell. Asks for what is
 * there and never for a version: distributions carry changes back.
 */
#ifndef IPCTRACE_TRACER_KERNEL_TRAITS_H
#define IPCTRACE_TRACER_KERNEL_TRAITS_H

#include <stdbool.h>

struct btf;

/* Where sched_switch tells the state of the thread that leaves its CPU. */
enum switch_state { SWITCH_STATE_LAST, SWITCH_STATE_SECOND, SWITCH_WITHOUT_STATE };

/* By which the programs of bpf/ are chosen, and told what they can use. */
struct kernel_traits {
	bool shows_switch; /* the end of a context switch (sched_exit_tp, Linux 6.16) */
	bool can_preempt; /* threads in the middle of a program (7.0), see bpf/base/preempt.bpf.h */
	bool can_cast;    /* addresses to what can be read directly (6.2) */
	bool has_task_iter; /* programs can walk through threads (6.7) */
	bool tells_uring;   /* what io_uring has done, for whom (6.3, and io_uring at all) */
	bool by_calls;     /* no events of sockets (6.3), see bpf/probes/sockets_by_syscall.bpf.c */
	bool legacy;       /* not all that programs need (5.15), see bpf/kernel/legacy.bpf.h */
	bool in_pid_ns;    /* not of the kernel: numbers of threads are to be translated */
	bool raw;          /* no types that it could check programs against */
	bool locks_memory; /* of maps, which counts against RLIMIT_MEMLOCK (before 5.11) */
	enum switch_state switch_state;
};

/* `foreign`: it does not know these types itself, so that programs can use no others than raw ones.
 */
void kernel_traits_probe(const struct btf *types, bool foreign, struct kernel_traits *traits);

/*
 * Whether there is a tracepoint of this name. Tests can pretend that there is none, or no helper,
 * by the environment: IPCTRACE_WITHOUT=name[,name].
 */
bool tracepoint_is_there(const struct btf *types, const char *name);

#endif
