/* SPDX-License-Identifier: GPL-2.0 */
/* The two ends of a message over a socket, handed to the family that the socket is of. */
#ifndef IPCTRACE_BPF_TRANSPORT_SOCKET_DISPATCH_H
#define IPCTRACE_BPF_TRANSPORT_SOCKET_DISPATCH_H

#include "transport/tcp.bpf.h"
#include "transport/udp.bpf.h"
#include "transport/udp_packets.bpf.h"
#include "transport/unix.bpf.h"

static __always_inline void udp_sends(struct task_state *t, struct sock *sk, int ret)
{
	if (attach || by_calls)
		datagram_sent(t, ret);
	else
		udp_sent(t, sk, ret);
}

static __always_inline void udp_takes(struct task_state *t, struct sock *sk, int ret)
{
	/* Where calls tell, they were taken when they were copied. */
	if (by_calls)
		return;
	if (attach)
		datagram_taken(t, sk, ret);
	else
		udp_taken(t, sk, ret);
}

static __always_inline void socket_sends_unix(struct task_state *t, struct sock *sk, int ret)
{
	if (attach && !t->is_peer)
		socket_is_targets(sk, &t->marked_sender);
	if (!attach || armed_ns)
		unix_sent(t, sk, ret);
}

static __always_inline void socket_sends_inet(struct task_state *t, struct sock *sk, int ret)
{
	u16 type = SOCK_READ(sk, sk_type);

	if (attach && !t->is_peer)
		socket_is_targets(sk, &t->marked_sender);
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
		socket_sends_unix(t, sk, ret);
	else
		socket_sends_inet(t, sk, ret);
}

/* Where no event tells that the call returns: it has done what it was made for. */
static __always_inline void take_is_over(struct task_state *t)
{
	u64 now = bpf_ktime_get_ns();

	if (t->taken)
		receive_returns(t, now);
	light_is_done(t, now);
	if (attach && t->has_siblings) {
		t->has_siblings = 0;
		trace_siblings();
	}
}

/* The current thread has taken `ret` bytes. It may be NULL: it is not traced yet. */
static __always_inline void socket_takes(struct task_state *t, struct sock *sk, int ret)
{
	u16 family = SOCK_READ(sk, __sk_common.skc_family);

	if (attach)
		t = data_to(t, sk);
	if (!t) {
		if (attach && family == AF_UNIX)
			unix_forget_copy();
		return;
	}
	if (light)
		light_takes(t, sk);
	if (family == AF_UNIX) {
		unix_taken(t, sk, ret);
	} else if (trace_inet && is_inet(family)) {
		if (SOCK_READ(sk, sk_type) == SOCK_STREAM)
			tcp_taken(t, sk, ret);
		else if (trace_udp && SOCK_READ(sk, sk_type) == SOCK_DGRAM)
			udp_takes(t, sk, ret);
	}
	if (light)
		take_is_over(t);
}

#endif
