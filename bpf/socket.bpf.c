/* SPDX-License-Identifier: GPL-2.0 */
/* The events of sockets, handed to the family that the socket is of. */
#include "preempt.bpf.h"
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
		datagram_taken(t, ret);
	else
		udp_taken(t, sk, ret);
}

/* Attach: a packet goes from its sender to a device. */
TWIN_PROG("tp_btf/net_dev_queue", on_net_dev_queue, struct sk_buff *skb)
{
	struct task_state *t = current_state();

	if (!t)
		datagram_left((u64)skb, (u64)skb->sk);
	else if (is_counted(t))
		datagram_leaves(t, (u64)skb, (u64)skb->sk);
}

/* Attach: a packet is dropped. */
SEC("tp_btf/kfree_skb")
int BPF_PROG(on_kfree_skb, struct sk_buff *skb)
{
	u64 key = (u64)skb;

	if (armed_ns)
		bpf_map_delete_elem(&datagrams, &key);
	return 0;
}

/* Data is in a socket's receive queue: told in whatever context it was put there. */
TWIN_PROG("tp_btf/sk_data_ready", on_data_ready, struct sock *sk)
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
			tcp_arrived(t, sk, attach && armed_ns ? socket_flags(sk) : 0);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_ready(t, sk);
	}
}

TWIN_PROG("tp_btf/sock_send_length", on_send_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();
	u16 family = sk->__sk_common.skc_family;

	if (!t)
		return;
	if (attach && !t->is_peer)
		socket_is_targets(sk, &t->marked_sender);
	if (family == AF_UNIX) {
		if (!attach || is_counted(t) || is_under_way(t))
			unix_sent(t, sk, ret);
		return;
	}
	if (attach && !is_counted(t))
		return;
	if (trace_inet && is_inet(family)) {
		if (sk->sk_type == SOCK_STREAM)
			tcp_sent(t, sk, ret);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_sends(t, sk, ret);
	}
}

/* In the receiver's context: this datagram, with its sender's socket, is being copied out. */
TWIN_PROG("tp_btf/skb_copy_datagram_iovec", on_copy_datagram, const struct sk_buff *skb, int len)
{
	struct task_state *t = current_state();

	struct sock *sender;

	if (!t)
		return;
	sender = skb->sk;
	t->taken_from = (u64)sender;
	if (attach && sender && sender->__sk_common.skc_family == AF_UNIX &&
	    sender->sk_type != SOCK_STREAM)
		unix_copied(t, sender);
}

TWIN_PROG("tp_btf/sock_recv_length", on_recv_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();
	u16 family = sk->__sk_common.skc_family;

	if (ret < 0 || (flags & MSG_PEEK))
		return;
	if (attach)
		t = data_to(t, sk);
	if (!t)
		return;
	if (family == AF_UNIX) {
		unix_taken(t, sk, ret);
	} else if (trace_inet && is_inet(family)) {
		if (sk->sk_type == SOCK_STREAM)
			tcp_taken(t, sk, ret);
		else if (sk->sk_type == SOCK_DGRAM)
			udp_takes(t, sk, ret);
	}
}
