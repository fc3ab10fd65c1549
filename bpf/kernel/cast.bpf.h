/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Casts that spare the verifier work. For every pointer that is loaded through a trusted pointer,
 * it searches the names of all kernel types to see whether the new one is trusted, too. That takes
 * about a millisecond on every path.
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
