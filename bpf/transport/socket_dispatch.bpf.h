/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hands sends and receives over sockets to the code for the socket's family. The functions are
 * called in sockets.bpf.c or, on kernels before Linux 6.3, in sockets_by_syscall.bpf.c.
 */
#pragma once

#include "transport/tcp.bpf.h"
#include "transport/udp.bpf.h"
#include "transport/udp_packets.bpf.h"
#include "transport/unix_receive.bpf.h"
#include "transport/unix_send.bpf.h"

static __always_inline void udp_sends(struct task_state *t, struct sock *sk, int ret)
{
	if (attach || by_syscalls)
		datagram_sent(t, ret);
	else
		udp_sent(t, sk, ret);
}

static __always_inline void udp_receives(struct task_state *t, struct sock *sk, int ret)
{
	/* Without socket events, the receive was recorded when the datagram was copied. */
	if (by_syscalls)
		return;
	if (attach)
		datagram_received(t, sk, ret);
	else
		udp_received(t, sk, ret);
}

static __always_inline void unix_socket_sends(struct task_state *t, struct sock *sk, int ret)
{
	if (attach && !t->is_peer)
		socket_is_targets(t, sk);
	if (!attach || armed_ns)
		unix_sent(t, sk, ret);
}

static __always_inline void inet_socket_sends(struct task_state *t, struct sock *sk, int ret)
{
	u16 type = SOCK_READ(sk, sk_type);

	if (attach && !t->is_peer)
		socket_is_targets(t, sk);
	if (attach && !is_counted(t))
		return;
	if (!trace_inet || !is_inet(SOCK_READ(sk, __sk_common.skc_family)))
		return;
	if (type == SOCK_STREAM)
		tcp_sent(t, sk, ret);
	else if (trace_udp && type == SOCK_DGRAM)
		udp_sends(t, sk, ret);
}

/* The current thread has sent `ret` bytes, in one message. */
static __always_inline void socket_sends(struct task_state *t, struct sock *sk, int ret)
{
	if (SOCK_READ(sk, __sk_common.skc_family) == AF_UNIX)
		unix_socket_sends(t, sk, ret);
	else
		inet_socket_sends(t, sk, ret);
}

/* No event shows that the call returns, and its work is done. */
static __always_inline void no_syscalls_receive_end(struct task_state *t)
{
	u64 now = bpf_ktime_get_ns();

	if (t->receiving.has_record)
		receive_returns(t, now);
	no_syscalls_done(t, now);
	if (attach)
		siblings_follow(t);
}

/* The current thread has received `ret` bytes. `t` is NULL if it is not traced yet. */
static __always_inline void socket_receives(struct task_state *t, struct sock *sk, int ret)
{
	u16 family = SOCK_READ(sk, __sk_common.skc_family);

	if (attach)
		t = data_to(t, sk);
	if (!t) {
		if (attach && family == AF_UNIX)
			unix_copy_forget();
		return;
	}
	if (no_syscalls)
		no_syscalls_receive(t, sk);
	if (family == AF_UNIX) {
		unix_received(t, sk, ret);
	} else if (trace_inet && is_inet(family)) {
		if (SOCK_READ(sk, sk_type) == SOCK_STREAM)
			tcp_received(t, sk, ret);
		else if (trace_udp && SOCK_READ(sk, sk_type) == SOCK_DGRAM)
			udp_receives(t, sk, ret);
	}
	if (no_syscalls)
		no_syscalls_receive_end(t);
}
