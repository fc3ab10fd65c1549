/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the listening socket of a target by what a thread hands to connect(): a TCP port in its
 * network namespace, or the name of a unix socket. So a connection is recognised before the kernel
 * has made it, and one that fails is, too.
 */
#pragma once

#include "base/inet.bpf.h"
#include "base/socket.bpf.h"
#include "base/socket_id.bpf.h"
#include "base/syscalls.bpf.h"

#define NAME_WORDS 16 /* a name has up to 108 bytes */
#define NAME_MASK  (NAME_WORDS * 8 - 1)

/* Instead of an address: several sockets listen there, and a new connection goes to any. */
#define LISTENERS_SEVERAL 1

/* The same: a target has listened there, and does not any more. A connection to it may fail. */
#define LISTENER_CLOSED 2

/* All of these are below any address. */
#define LISTENER_LAST_WORD LISTENER_CLOSED

union socket_name {
	u64 word[NAME_WORDS];
	char text[NAME_WORDS * 8];
	struct {
		u16 family; /* of an Internet address */
		u16 port;   /* in network order */
		u32 ip4;
		u32 ip6[4];
	};
};

static __always_inline u64 name_word(const union socket_name *name)
{
	u64 word = 0;

	for (int i = 0; i < NAME_WORDS; i++)
		word = (word ^ name->word[i]) * 0x9e3779b97f4a7c15ULL;
	return word | 1ULL << 63;
}

static __always_inline u64 port_word(u32 network, u32 port)
{
	return (u64)network << 16 | port;
}

/* The place that a socket listens at; 0: none can connect to it by name. */
static __always_inline u64 listening_place(struct sock *sk)
{
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
	struct unix_address *bound;
	union socket_name name = {};
	u32 length;

	if (is_inet(family))
		return port_word(BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum),
				 BPF_CORE_READ(sk, __sk_common.skc_num));
	if (family != AF_UNIX)
		return 0;
	bound = BPF_CORE_READ((struct unix_sock *)sk, addr);
	length = bound ? BPF_CORE_READ(bound, len) - sizeof(u16) : 0;
	if (!length || length > sizeof(struct sockaddr_un))
		return 0;
	barrier_var(length); /* the mask changes nothing, but old verifiers need it */
	bpf_probe_read_kernel(name.text, length & NAME_MASK, &bound->name[0].sun_path);
	return name_word(&name);
}

static __always_inline bool listens(u64 address)
{
	struct sock *sk = (struct sock *)address;

	return BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_LISTEN;
}

/* A target listens on this socket. */
OUT_OF_LINE void note_listening(struct sock *sk)
{
	u64 address = address_as_number(sk), place = listening_place(sk),
	    several = LISTENERS_SEVERAL, *known;

	if (!place)
		return;
	known = bpf_map_lookup_elem(&listening, &place);
	if (known && *known != address && (*known == LISTENERS_SEVERAL || listens(*known)))
		address = several;
	bpf_map_update_elem(&listening, &place, &address, BPF_ANY);
}

/* Whether a further connection has to wait, as sk_acceptq_is_full() and unix_recvq_full() say. */
static __always_inline bool listener_is_full(u64 address)
{
	struct sock *sk = (struct sock *)address;
	u32 backlog, waiting;

	if (address <= LISTENER_LAST_WORD || !listens(address))
		return false;
	backlog = BPF_CORE_READ(sk, sk_max_ack_backlog);
	waiting = BPF_CORE_READ(sk, __sk_common.skc_family) == AF_UNIX
			  ? BPF_CORE_READ(sk, sk_receive_queue.qlen)
			  : BPF_CORE_READ(sk, sk_ack_backlog);
	return waiting > backlog;
}

/* Whether an address of this machine is meant, whatever its interfaces are called. */
static __always_inline bool is_loopback_name(const union socket_name *name)
{
	if (name->family == AF_INET)
		return !name->ip4 || (name->ip4 & 0xff) == LOOPBACK_NET;
	return !name->ip6[0] && !name->ip6[1] &&
	       (name->ip6[2] == __builtin_bswap32(0xffff)
			? (name->ip6[3] & 0xff) == LOOPBACK_NET
			: !name->ip6[2] && (!name->ip6[3] || name->ip6[3] == LOOPBACK6));
}

/* What the user's address names, as in listening_place(); 0: nothing that a target may have. */
static __always_inline u64 place_of_name(const struct pt_regs *regs, struct sock *sk, u16 family)
{
	union socket_name name = {};
	const char *user = (const char *)call_argument(regs, 1);
	u32 length = call_argument(regs, 2);

	if (is_inet(family)) {
		bpf_probe_read_user(&name, 24, user);
		if (!is_loopback_name(&name))
			return 0;
		return port_word(BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum),
				 __builtin_bswap16(name.port));
	}
	if (length <= sizeof(u16))
		return 0;
	length -= sizeof(u16);
	if (length > sizeof(struct sockaddr_un))
		length = sizeof(struct sockaddr_un);
	user += sizeof(u16);
	barrier_var(length);
	bpf_probe_read_user(name.text, 1, user);
	if (name.text[0])
		bpf_probe_read_user_str(name.text, sizeof(struct sockaddr_un), user);
	else
		bpf_probe_read_user(name.text, length & NAME_MASK, user);
	return name_word(&name);
}

/* The target's listener that the thread connects to; one of the words above; or 0: none. */
static __always_inline u64 listener_at(const struct pt_regs *regs, struct sock *sk, u16 family)
{
	u64 place = place_of_name(regs, sk, family);
	u64 *known = place ? bpf_map_lookup_elem(&listening, &place) : NULL;

	if (!known)
		return 0;
	return *known == LISTENERS_SEVERAL || listens(*known) ? *known : LISTENER_CLOSED;
}
