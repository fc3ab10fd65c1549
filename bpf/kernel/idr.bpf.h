/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up an entry of a struct idr. An idr is the kernel's table that maps numbers, for example
 * thread ids, to objects.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* include/linux/xarray.h: six bits of the index per level; a node is marked in its address. */
#define XA_LEVELS_MAX 4
#define XA_SLOT_MASK  63
#define XA_MARK_MASK  3
#define XA_MARK_NODE  2

/*
 * The entry (address) with this index, below `head`; 0: there is none. For an index beyond the last
 * one it may be another entry: the caller compares the entry's number.
 */
static __always_inline u64 idr_entry(u64 head, u32 index)
{
	u64 entry = head;

	for (int i = 0; i < XA_LEVELS_MAX && (entry & XA_MARK_MASK) == XA_MARK_NODE; i++) {
		struct xa_node *node = (struct xa_node *)(entry - XA_MARK_NODE);
		u32 slot = index >> BPF_CORE_READ(node, shift) & XA_SLOT_MASK;

		bpf_probe_read_kernel(&entry, sizeof(entry), &node->slots[slot]);
	}
	return entry;
}
