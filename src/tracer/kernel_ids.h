/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread ids inside a PID namespace. `program` is the descriptor of find_pid_ns()
 * (bpf/probes/pid_namespace.bpf.c), which runs in the calling thread.
 */
#ifndef IPCTRACE_TRACER_KERNEL_IDS_H
#define IPCTRACE_TRACER_KERNEL_IDS_H

#include <sys/types.h>

/* Tells the loaded programs the PID namespace of this process. 0 or -errno. */
int kernel_ids_begin(int program);

/* The id in the initial namespace of the thread `tid` of this namespace. -ESRCH, or -errno. */
pid_t kernel_ids_find(int program, pid_t tid);

#endif
