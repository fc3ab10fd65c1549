/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All maps of the programs. They are defined here, not only declared: all sources are one
 * translation unit.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "base/state.bpf.h"

#ifdef LEGACY
/* By thread (key). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, struct task_state);
} tasks SEC(".maps");

/* The state that a thread begins with: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct task_state);
} blank SEC(".maps");

/* Channel ids that were given out lately. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u8);
} channel_ids SEC(".maps");
#else
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");
#endif

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* the loader sets the number of possible CPUs */
	__type(key, u32);
	__type(value, struct cpu_state);
} cpus SEC(".maps");

/*
 * Preallocated: on PREEMPT_RT a thread refills what is allocated in atomic context, and measured
 * threads may keep that thread from its CPU.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct channel_key);
	__type(value, struct channel_state);
} channels SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct name_key);
	__type(value, struct name_state);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
} ring SEC(".maps");

/* Attach: by process id. The loader puts the targets in, find_peers() their peers. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u32);
} processes SEC(".maps");

/*
 * Attach: how the ends of channels that targets had open look: the address of a socket or a pipe,
 * or a word made of addresses and ports.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, u8);
} ends SEC(".maps");

/*
 * Attach. An accepted socket inherits its listener's state, where the kernel makes it from the
 * listener.
 */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct socket_state);
} sockets SEC(".maps");

/*
 * Without socket events: by address. A forgotten socket gets a new identity, and its baseline is
 * found anew.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct socket_id);
} socket_ids SEC(".maps");

/*
 * Attach: addresses of sockets that targets listen on. An address that is used again only makes a
 * needless peer.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u8);
} listeners SEC(".maps");

/* Attach: TCP ports that are listened on, in any network namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u8);
} ports SEC(".maps");

/* Attach: by the socket's address. An entry stays while a call is under way. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, struct receives_in_parts);
} partial_receives SEC(".maps");

/* UDP of an attach: by packet buffer (address). */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct datagram);
} datagrams SEC(".maps");

/* Attach: by address and receiver, what the sender is known by that had this address last. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct channel_key);
	__type(value, u64);
} unix_owners SEC(".maps");

/* Without socket events: by name, the socket (address) that was found bound to it last. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u64);
} unix_names SEC(".maps");

/*
 * Attach: by thread (key modulo UNIX_COPIES) and not by CPU, because a thread may migrate in the
 * middle of a receive. Two threads that share an entry hardly ever receive at the same moment.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNIX_COPIES);
	__type(key, u32);
	__type(value, struct unix_copy);
} unix_copies SEC(".maps");
