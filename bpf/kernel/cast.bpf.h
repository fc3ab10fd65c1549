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

/* Set by the loader: the kernel has bpf_rdonly_cast, from Linux 6.2. */
const volatile bool can_cast = false;

/* With `can_cast`: reads through such a pointer take no call for each field. */
#ifndef LEGACY
extern void *bpf_rdonly_cast(const void *address, u32 type_id) __weak __ksym;
#else
#define bpf_rdonly_cast(address, type_id) NULL
#endif

#define POINTER_TO(type, address)                                                                  \
	((type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(type)))

/* For loads of pointers from what a trusted pointer points to. The result is read-only. */
#define UNTRUSTED(type, pointer) (can_cast ? POINTER_TO(type, pointer) : (pointer))
