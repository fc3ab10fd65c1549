/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the function that loads the type information of the kernel (BTF), from the kernel
 * itself or from a file.
 */
#pragma once

struct btf;
struct tracer_spec;

/*
 * Loads the types from the file that `spec` names, or from the kernel. The caller frees them by
 * btf__free(). NULL and errno (logged): there are none, or the file belongs to another kernel.
 */
struct btf *kernel_types_load(const struct tracer_spec *spec);
