/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a function that translates a thread id of the tracer's PID namespace. The result is the
 * id in the initial PID namespace, which spans the whole machine.
 */
#pragma once

#include <sys/types.h>

/*
 * The id in the initial namespace of the thread `tid` of this namespace; 0: there is no such
 * thread; or -errno. `program` is the descriptor of find_pid_ns() (bpf/probes/pid_namespace.bpf.c),
 * which runs in the calling thread and notes its namespace for the other programs.
 */
pid_t kernel_ids_find(int program, pid_t tid);
