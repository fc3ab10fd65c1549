/* SPDX-License-Identifier: GPL-2.0 */
/* The events of sockets, handed to the family that the socket is of. */
#include "tcp.bpf.h"
#include "udp.bpf.h"
#include "udp_skb.bpf.h"
#include "unix.bpf.h"

static __always_inline bool is_inet(u16 family)
{
	return family == AF_INET || family == AF_INET6;
}

/* Of our own workload every datagram finds its place by itself; other people's are followed. */
static __always_inline void udp_ready(struct task_state *t, struct sock *sk)
{
	if (!attach) {
		udp_queued(t, sk);
	} else if (t) {
		t->queued_ns = bpf_ktime_get_ns();
		if (t->is_late)
			datagram_catch_up(t);
	}
}

static __always_inline void udp_sends(struct task_state *t, struct sock *sk, int ret)
{
	if (attach)
		datagram_sent(t, ret);
	else
		udp_sent(t, sk, ret);
}

static __always_inline void udp_takes(struct task_state *t, struct sock *sk, int ret)
{
	if (attach)
		datagram_taken(t, sk, ret);
	else
		udp_taken(t, sk, ret);
}

/* Attach: a packet goes from its sender to a device. */
SEC("tp_btf/net_dev_queue")
int BPF_PROG(on_net_dev_queue, struct sk_buff *skb)
{
	struct task_state *t = current_state();

	if (!t)
		datagram_left((u64)skb, (u64)skb->sk);
	else if (is_counted(t))
		datagram_leaves(t, (u64)skb, (u64)skb->sk);
	return 0;
}

/* Attach: a packet is dropped. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(on_kfree_skb, struct sk_buff *skb)
{
	if (armed_ns)
		datagram_dropped((u64)skb);
	return 0;
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
			udp_ready(t, sk);
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
		if (!attach || is_counted(t) || is_under_way(t))
			unix_sent(t, sk, ret);
		return 0;
	}
	if (attach && !is_counted(t))
		return 0;
	if (trace_inet && is_inet(family)) {
		if (sk->sk_type == SOCK_STREAM)
			tcp_sent(t, sk, ret);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_sends(t, sk, ret);
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
			udp_takes(t, sk, ret);
	}
	return 0;
}
