/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the function that loads the type information of the kernel (BTF), from the kernel
 * itself or from a file.
 */
#pragma once

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
