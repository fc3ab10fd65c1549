/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defines all maps of the tracing programs. One file suffices, because all sources of these
 * programs are compiled as one translation unit.
 */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "base/state.bpf.h"

/* `more`: flags, if any. */
#define MAP(name, kind, entries, key_type, value_type, more...)                                    \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_##kind);                                                 \
		__uint(max_entries, entries);                                                      \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
		more;                                                                              \
	} name SEC(".maps")

#ifdef LEGACY
/* By thread (key). */
MAP(tasks, HASH, 16384, u32, struct task_state);

/* The state that a thread begins with: too large for the stack. */
MAP(blank, ARRAY, 1, u32, struct task_state);

/* Channel ids that were given out lately. */
MAP(channel_ids, LRU_HASH, 4096, u32, u8);
#else
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");
#endif

MAP(cpus, ARRAY, 1, u32, struct cpu_state); /* the loader sets the number of possible CPUs */

/* --level deep; the same size. */
MAP(contexts, ARRAY, 1, u32, struct cpu_context);

/* --level deep: by the request's address. */
MAP(disk_requests, LRU_HASH, 8192, u64, struct disk_request);

/*
 * Preallocated: on PREEMPT_RT a thread refills what is allocated in atomic context, and measured
 * threads may keep that thread from its CPU.
 */
MAP(channels, HASH, 65536, struct channel_key, struct channel_state);

MAP(names, LRU_HASH, 16384, struct name_key, struct name_state);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
} ring SEC(".maps");

/* Attach: by process id. The loader puts the targets in, find_peers() their peers. */
MAP(processes, HASH, 65536, u32, u32, __uint(map_flags, BPF_F_NO_PREALLOC));

/*
 * Attach: how the ends of channels that targets had open look: the address of a socket or a pipe,
 * or a word made of addresses and ports.
 */
MAP(ends, HASH, 65536, u64, u8, __uint(map_flags, BPF_F_NO_PREALLOC));

/* Attach. An accepted socket that the kernel makes from its listener inherits the state. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct socket_state);
} sockets SEC(".maps");

/* Without socket events: by address. A forgotten socket gets a new identity and a new baseline. */
MAP(socket_ids, LRU_HASH, 65536, u64, struct socket_id);

/*
 * Attach: addresses of sockets that targets listen on. One that is used again makes a needless
 * peer.
 */
MAP(listeners, LRU_HASH, 4096, u64, u8);

/* Attach: TCP ports that are listened on, in any network namespace. */
MAP(ports, LRU_HASH, 4096, u32, u8);

/* Connections: connect() and accept() calls under way, by thread (key). */
MAP(openings, LRU_HASH, 4096, u32, struct opening);

/* Attach: sockets (addresses) that targets listen on, by what threads connect to: listening.bpf.h.
 */
MAP(listening, LRU_HASH, 4096, u64, u64);

/* The same: when one of TCP came into the queue of its listener, by the socket's address. */
MAP(queued_since, LRU_HASH, 8192, u64, u64);

/* --level deep: the thread that uses a listener or an epoll (sock_word()), or that several do. */
MAP(users, LRU_HASH, 1024, u64, u32);

/* --level deep: by channel, the epoll of its last SHARED; likewise its socket. */
MAP(watched_by, LRU_HASH, 4096, u32, u64);

/* --level deep: when a listener with others on its port had its last SHARED. */
MAP(shared_ports, LRU_HASH, 1024, u64, u64);

/* Attach: connecting TCP sockets (addresses) that have sent their first segment again. */
MAP(handshakes, LRU_HASH, 1024, u64, u8);

/* Attach: by the socket's address. An entry stays while a call is under way. */
MAP(partial_receives, LRU_HASH, 4096, u64, struct partial_receive_calls);

/* UDP of an attach: by packet buffer (address). */
MAP(datagrams, LRU_HASH, 65536, u64, struct datagram);

/* Attach: by address and receiver, what the sender is known by that had this address last. */
MAP(unix_owners, LRU_HASH, 16384, struct channel_key, u64);

/* Without socket events: by name, the socket (address) that was found bound to it last. */
MAP(unix_names, LRU_HASH, 4096, u64, u64);

/*
 * Attach: by thread (key modulo UNIX_COPIES) and not by CPU, because a thread may migrate in the
 * middle of a receive. Two threads that share an entry hardly ever receive at the same moment.
 */
MAP(unix_copies, ARRAY, UNIX_COPIES, u32, struct unix_copy);
