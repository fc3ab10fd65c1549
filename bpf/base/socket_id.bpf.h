/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identifies sockets. From Linux 6.3 on, the kernel's cookie identifies a socket. On older
 * kernels, a program only has the address of a socket, and the verifier does not let the program
 * get the cookie from the address.
 *
 * On these older kernels, the address and the inode number together identify a socket. The address
 * does not suffice, because a new socket can get the address of a freed socket. Two cases are
 * special:
 *
 * - A closed socket has no inode. Data of the socket may still be under way, so the programs
 *   remember the inode number.
 * - A socket that is not accepted yet has no inode. The inode number of its peer identifies the
 *   socket, even after the socket is accepted.
 */
#pragma once

#include "base/socket.bpf.h"
#include "base/lookup.bpf.h"

#define SK_FLAGS_DEAD 1 /* include/net/sock.h: 1 << SOCK_DEAD */

/* A number to calculate with: the verifier does not know that it is an address. */
static __always_inline u64 address_as_number(const void *pointer)
{
	u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

/* Identifies an object as long as it is there, and does not show where the kernel has it. */
static __always_inline u64 sock_word(const void *object)
{
	u64 address = address_as_number(object);
	u64 word = (address ^ address_salt) * 0x9e3779b97f4a7c15ULL;

	return address ? word ^ word >> 32 : 0;
}

static __always_inline u32 inode_of(struct sock *sk)
{
	return BPF_CORE_READ(sk, sk_socket, file, f_inode, i_ino);
}

/* The inode of the socket that has connected to it; 0: none, or closed. */
static __always_inline u32 inode_of_peer(struct sock *sk)
{
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_UNIX)
		return 0;
	return inode_of(BPF_CORE_READ((struct unix_sock *)sk, peer));
}

/* Whether this is the socket that was known by its peer when it had no inode yet. */
static __always_inline bool is_accepted(const struct socket_id *known, u32 peer)
{
	return !known->inode && (!peer || known->peer == peer);
}

/* NULL: the map is full. */
OUT_OF_LINE struct socket_id *socket_id_state(u64 address)
{
	struct sock *sk = (struct sock *)address;
	u32 inode = inode_of(sk), peer = inode_of_peer(sk);
	bool is_gone = BPF_CORE_READ(sk, __sk_common.skc_flags) & SK_FLAGS_DEAD;
	struct socket_id *known = bpf_map_lookup_elem(&socket_ids, &address);
	struct socket_id initial = {.inode = inode, .peer = peer};

	if (known && (is_gone || (inode && known->inode == inode)))
		return known;
	if (known && is_accepted(known, peer)) {
		known->inode = inode;
		return known;
	}
	initial.id = address * 0x9e3779b97f4a7c15ULL ^ (inode ? inode : (u64)peer << 32);
	bpf_map_update_elem(&socket_ids, &address, &initial, BPF_ANY);
	return bpf_map_lookup_elem(&socket_ids, &address);
}

/* Identifies a socket among all, also later ones. Most sockets have their cookie already. */
static __always_inline u64 socket_cookie(struct sock *sk)
{
	struct socket_id *state;
	u64 cookie;

	if (!by_syscalls) {
		cookie = sk->__sk_common.skc_cookie.counter;
		return cookie ? cookie : bpf_get_socket_cookie(sk);
	}
	state = socket_id_state(address_as_number(sk));
	return state ? state->id : 0;
}
