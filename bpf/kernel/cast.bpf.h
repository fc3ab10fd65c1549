/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines casts that make verification faster. When a program loads a pointer through a trusted
 * pointer, the verifier decides whether the new pointer is also trusted. For this decision, the
 * verifier searches the names of all kernel types. A search takes about a millisecond, and is
 * repeated on every path through the program.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/variant.bpf.h"

/*
 * Reads through such a pointer take no call for each field. Kernels without socket events may lack
 * the function, which came with Linux 6.2.
 */
#ifndef BY_SYSCALLS
extern void *bpf_rdonly_cast(const void *address, u32 type_id) __weak __ksym;
#else
#define bpf_rdonly_cast(address, type_id) NULL
#endif

#define POINTER_TO(type, address)                                                                  \
	((type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(type)))

/* For loads of pointers from what a trusted pointer points to. The result is read-only. */
#define UNTRUSTED(type, pointer) (by_syscalls ? (pointer) : POINTER_TO(type, pointer))

/* A field of a socket or a file, or of something that is reached from one. */
#define SOCK_READ(pointer, field) (by_syscalls ? BPF_CORE_READ(pointer, field) : (pointer)->field)
