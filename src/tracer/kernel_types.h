/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel's types (BTF) come from. Knows libbpf. */
#ifndef IPCTRACE_TRACER_KERNEL_TYPES_H
#define IPCTRACE_TRACER_KERNEL_TYPES_H

struct btf;
struct tracer_spec;

/*
 * From the file that `spec` names, or else from the kernel itself. To be freed by btf__free(). NULL
 * and errno: there are none, or the file's are another kernel's; the reason has been logged.
 */
struct btf *kernel_types_load(const struct tracer_spec *spec);

#endif
