/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the addresses, ports and network namespace of an Internet socket. An IPv6 address is
 * reduced to a hash of one word.
 */
#pragma once

#include "base/socket_id.bpf.h"

static __always_inline bool is_inet(u16 family)
{
	return family == AF_INET || family == AF_INET6;
}

/*
 * Whether the socket speaks IPv4. A listener on [::] accepts IPv4 callers on IPv6 sockets, at
 * addresses such as ::ffff:127.0.0.1; these sockets have the IPv4 addresses, too.
 */
static __always_inline bool is_ip4(const struct sock_common *common)
{
	const struct in6_addr *a = &common->skc_v6_rcv_saddr;

	if (SOCK_READ(common, skc_family) == AF_INET)
		return true;
	return SOCK_READ(a, in6_u.u6_addr32[2]) == __builtin_bswap32(0xffff) &&
	       !SOCK_READ(a, in6_u.u6_addr32[0]) && !SOCK_READ(a, in6_u.u6_addr32[1]);
}

/* An address as a word: unique on one machine for IPv4, and practically unique for IPv6. */
static __always_inline u32 inet_word(const struct sock_common *common, bool local)
{
	const struct in6_addr *a;

	if (is_ip4(common))
		return local ? SOCK_READ(common, skc_rcv_saddr) : SOCK_READ(common, skc_daddr);
	a = local ? &common->skc_v6_rcv_saddr : &common->skc_v6_daddr;
	return SOCK_READ(a, in6_u.u6_addr32[0]) * 0x9e3779b1u ^
	       SOCK_READ(a, in6_u.u6_addr32[1]) * 0x85ebca77u ^
	       SOCK_READ(a, in6_u.u6_addr32[2]) * 0xc2b2ae3du ^ SOCK_READ(a, in6_u.u6_addr32[3]);
}

static __always_inline u32 inet_local_port(const struct sock_common *common)
{
	return SOCK_READ(common, skc_num);
}

static __always_inline u32 inet_peer_port(const struct sock_common *common)
{
	return __builtin_bswap16(SOCK_READ(common, skc_dport));
}

#define LOOPBACK_NET 127
#define LOOPBACK6    0x01000000 /* the last word of ::1 */

/* Whether each network namespace has such an address of its own. */
static __always_inline bool inet_is_loopback(const struct sock_common *common)
{
	const struct in6_addr *a = &common->skc_v6_rcv_saddr;

	if (is_ip4(common))
		return (SOCK_READ(common, skc_rcv_saddr) & 0xff) == LOOPBACK_NET;
	return SOCK_READ(a, in6_u.u6_addr32[3]) == LOOPBACK6 && !SOCK_READ(a, in6_u.u6_addr32[0]);
}

static __always_inline u32 inet_network(const struct sock_common *common)
{
	const struct net *net = SOCK_READ(UNTRUSTED(const struct sock_common, common), skc_net.net);

	return SOCK_READ(net, ns.inum);
}
