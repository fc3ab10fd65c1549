/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pointers that the verifier does not follow further than a load needs. For every pointer that is
 * loaded through one that it trusts, it searches all names of the kernel's types, one after the
 * other, for whether the new one is to be trusted, too: about a millisecond, on every path.
 */
#ifndef IPCTRACE_BPF_KERNEL_CAST_H
#define IPCTRACE_BPF_KERNEL_CAST_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Set by the loader: the kernel has bpf_rdonly_cast, from Linux 6.2. */
const volatile bool can_cast = false;

/* If `can_cast`: to read through it takes no call for each field. */
#ifndef LEGACY
extern void *bpf_rdonly_cast(const void *address, u32 type_id) __weak __ksym;
#else
#define bpf_rdonly_cast(address, type_id) NULL
#endif

#define POINTER_TO(type, address)                                                                  \
	((type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(type)))

/* To load pointers from what a trusted pointer points to: they are for reading only. */
#define UNTRUSTED(type, pointer) (can_cast ? POINTER_TO(type, pointer) : (pointer))

#endif
