/* SPDX-License-Identifier: GPL-2.0 */
/* The events of sockets, handed to the family that the socket is of. */
#include "tcp.bpf.h"
#include "udp.bpf.h"
#include "unix.bpf.h"

static __always_inline bool is_inet(u16 family)
{
	return family == AF_INET || family == AF_INET6;
}

/* Data is in a socket's receive queue: told in whatever context it was put there. */
SEC("tp_btf/sk_data_ready")
int BPF_PROG(on_data_ready, struct sock *sk)
{
	struct task_state *t = current_state();
	u16 family = sk->__sk_common.skc_family;

	if (attach)
		t = data_from(t, sk);
	if (family == AF_UNIX) {
		if (t)
			unix_queued(t, sk);
	} else if (trace_inet && is_inet(family)) {
		if (sk->sk_type == SOCK_STREAM)
			tcp_arrived(t, sk);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_queued(t, sk);
	}
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(on_send_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();
	u16 family = sk->__sk_common.skc_family;

	if (!t)
		return 0;
	if (attach && !t->is_peer)
		socket_mark(sk, SOCKET_TARGET);
	if (family == AF_UNIX) {
		unix_sent(t, sk, ret);
	} else if (trace_inet && is_inet(family)) {
		if (sk->sk_type == SOCK_STREAM)
			tcp_sent(t, sk, ret);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_sent(t, sk, ret);
	}
	return 0;
}

/* In the receiver's context: this datagram, with its sender's socket, is being copied out. */
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(on_copy_datagram, const struct sk_buff *skb, int len)
{
	struct task_state *t = current_state();

	struct sock *sender;

	if (!t)
		return 0;
	sender = skb->sk;
	t->taken_from = (u64)sender;
	if (attach && sender && sender->__sk_common.skc_family == AF_UNIX &&
	    sender->sk_type != SOCK_STREAM)
		unix_copied(t, sender);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_recv_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();
	u16 family = sk->__sk_common.skc_family;

	if (ret < 0 || (flags & MSG_PEEK))
		return 0;
	if (attach)
		t = data_to(t, sk);
	if (!t)
		return 0;
	if (family == AF_UNIX) {
		unix_taken(t, sk, ret);
	} else if (trace_inet && is_inet(family)) {
		if (sk->sk_type == SOCK_STREAM)
			tcp_taken(t, sk, ret);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_taken(t, sk, ret);
	}
	return 0;
}
