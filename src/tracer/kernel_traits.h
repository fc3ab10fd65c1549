/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the kernel features that decide which BPF programs can run. The kernel's type
 * information (BTF) shows these features. Version numbers do not show the features, because
 * distributions backport changes.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct btf;
struct tracer_spec;

/*
 * Loads the types from the file that `spec` names, or from the kernel. The caller frees them by
 * btf__free(). NULL and errno (logged): there are none, or the file belongs to another kernel.
 */
struct btf *kernel_types_load(const struct tracer_spec *spec);

/*
 * The id in the initial namespace of the thread `tid` of this namespace; 0: there is no such
 * thread; or -errno. `program` is the descriptor of find_pid_ns() (bpf/probes/pid_namespace.bpf.c),
 * which runs in the calling thread and notes its namespace for the other programs.
 */
pid_t kernel_ids_find(int program, pid_t tid);

/* Which argument of sched_switch is the state of the thread that leaves its CPU. */
enum switch_state { SWITCH_STATE_LAST, SWITCH_STATE_SECOND, SWITCH_WITHOUT_STATE };

/* These traits select the programs of bpf/ and are constants in them. */
struct kernel_traits {
	bool shows_switch;   /* has the end of a context switch (sched_exit_tp, Linux 6.16) */
	bool can_preempt;    /* a thread inside a program (7.0), see bpf/base/preempt.bpf.h */
	bool has_task_iter;  /* programs can iterate over threads (6.7) */
	bool shows_uring;    /* what io_uring has done and for which thread (6.3, with io_uring) */
	bool shows_cpu_irqs; /* interrupts of the CPU itself, such as its timer (x86-64) */
	bool shows_idle;     /* when a CPU goes idle, and leaves idle */
	bool shows_retransmit; /* that TCP sends data again */
	bool shows_states;     /* changes of the states of TCP sockets */
	bool shows_answers;    /* that TCP answers a first segment again */
	bool shows_timers;     /* when timers are started, which tells what a timeout ended */
	bool shows_stacks;  /* programs can read the stack of another thread (5.9), not if `raw` */
	bool by_syscalls;   /* no socket events (before 6.3), see bpf/kernel/variant.bpf.h */
	bool legacy;        /* lacks helpers of programs (before 5.15): bpf/kernel/legacy.bpf.h */
	bool in_pid_ns;     /* not a trait of the kernel: thread ids have to be translated */
	bool raw;           /* has no types to check programs against */
	bool locks_memory;  /* maps count against RLIMIT_MEMLOCK (before 5.11) */
	bool shows_disks;   /* when disks get requests, and have done them (5.11) */
	bool shows_reclaim; /* that a thread frees memory, of the machine or of its group */
	bool shows_compaction;        /* that it moves pages to make room for a large one */
	bool shows_locks;             /* that threads wait for locks of the kernel (5.19) */
	bool shows_failed_queue;      /* that the queue of a UDP socket has no room */
	unsigned int drop_arguments;  /* of kfree_skb; 0: there is none */
	unsigned int dirty_arguments; /* of balance_dirty_pages; the same */
	enum switch_state switch_state;
};

/*
 * `foreign`: the types come from a file and the kernel does not have them, so that only raw
 * programs can be loaded.
 */
void kernel_traits_probe(const struct btf *types, bool foreign, struct kernel_traits *traits);

/*
 * Whether the tracepoint exists. Tests hide tracepoints and helpers with the environment variable
 * IPCTRACE_WITHOUT=name[,name].
 */
bool tracepoint_is_there(const struct btf *types, const char *name);
