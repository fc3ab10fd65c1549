/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In a PID namespace: what bpf/probes/pid_namespace.bpf.c finds out for the loader. `program` is
 * the descriptor of find_pid_ns(), which runs in the calling thread.
 */
#ifndef IPCTRACE_TRACER_KERNEL_IDS_H
#define IPCTRACE_TRACER_KERNEL_IDS_H

#include <sys/types.h>

/* From now on the loaded programs know our namespace. 0 or -errno. */
int kernel_ids_begin(int program);

/* The number in the initial namespace of the thread that has `tid` in ours; -ESRCH, or -errno. */
pid_t kernel_ids_find(int program, pid_t tid);

#endif
