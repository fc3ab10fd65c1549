/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles the kernel's events of sockets and packets. Hands each send and receive to the code for
 * the socket's transport. On kernels before Linux 6.3, sockets_by_syscall.bpf.c handles system
 * calls instead.
 */
#include "base/preempt.bpf.h"
#include "transport/socket_dispatch.bpf.h"

/* Whether the current call has queued something at a unix socket. */
static __always_inline bool has_queued_locally(const struct task_state *t)
{
	return t->sending.queued_ns && t->sending.queued_ns >= t->syscall.enter_ns &&
	       !t->sending.queued_inet;
}

/*
 * In a run every datagram gets its position here; in an attach packets are followed. A softirq may
 * bring a packet of another thread while this one sends over a unix socket.
 */
static __always_inline void udp_ready(struct task_state *t, struct sock *sk)
{
	if (!attach) {
		udp_queued(t, sk);
	} else if (t) {
		if (!has_queued_locally(t)) {
			t->sending.queued_ns = bpf_ktime_get_ns();
			t->sending.queued_inet = 1;
			t->sending.unwatched = watch_begin(sk);
		}
		if (t->traced_mid_write)
			datagram_catch_up(t);
		datagram_arrived(t, sk);
	}
}

/* Attach, or without socket events: a packet goes from its sender to a device. */
TWIN_PROG("tp_btf/net_dev_queue", on_net_dev_queue, struct sk_buff *skb)
{
	struct task_state *t = current_state();

	if (!t)
		datagram_handed_over_untraced((u64)skb,
					      (u64)READ(UNTRUSTED(struct sk_buff, skb), sk));
	else if (!attach || is_counted(t))
		datagram_handed_over(t, (u64)skb, (u64)READ(UNTRUSTED(struct sk_buff, skb), sk));
}

/* The same: a packet is dropped. Its further arguments differ from kernel to kernel. */
SEC("tp_btf/kfree_skb")
int on_kfree_skb(u64 *event)
{
	struct failed_queue *failed = drop_arguments < DROP_SHOWS_SOCKET ? failed_queue() : NULL;

	if (!attach || armed_ns)
		datagram_dropped(event);
	if (failed)
		failed->bytes = 0;
	return 0;
}

/* The same, where the event above does not show the socket: its queue has no room for a packet. */
SEC("tp_btf/udp_fail_queue_rcv_skb")
int BPF_PROG(on_udp_fail, int error, struct sock *sk)
{
	struct failed_queue *failed = failed_queue();

	if (!failed)
		return 0;
	failed->error = error;
	failed->bytes = receive_buffer_of((u64)sk);
	return 0;
}

/* Not inlined: its stack would add to that of all else that on_inet_ready calls. */
OUT_OF_LINE void tcp_ready(struct task_state *t, struct sock *sk)
{
	struct tcp_sock *tcp = bpf_skc_to_tcp_sock(sk);

	if (tcp)
		tcp_arrived(t, sk, tcp->rcv_nxt, attach && armed_ns ? socket_flags(sk) : 0);
}

/*
 * Data is in a socket's receive queue. The sender itself puts it there for unix sockets. Network
 * data may come in an interrupt in the middle of a program, and the kernel skips a program that is
 * already running. So the two have programs of their own.
 */
TWIN_PROG("tp_btf/sk_data_ready", on_unix_ready, struct sock *sk)
{
	struct task_state *t;

	if (sk->__sk_common.skc_family != AF_UNIX)
		return;
	t = current_state();
	if (attach)
		t = data_from(t, sk);
	if (t)
		unix_queued(t, sk);
}

/*
 * A run whose connections are recorded; on_unix_ready of an attach does this, too. It is a program
 * of its own, as the one above runs for every message of any run.
 */
SEC("tp_btf/sk_data_ready")
int BPF_PROG(on_listener_ready, struct sock *sk)
{
	if (sk->__sk_common.skc_family == AF_UNIX && is_listening(sk))
		connection_is_queued();
	return 0;
}

/* Fires in the context of whatever thread runs when the data arrive. */
TWIN_PROG("tp_btf/sk_data_ready", on_inet_ready, struct sock *sk)
{
	struct task_state *t;

	if (!is_inet(sk->__sk_common.skc_family))
		return;
	t = current_state();
	if (attach)
		t = data_from(t, sk);
	if (sk->sk_type == SOCK_STREAM)
		tcp_ready(t, sk);
	else if (trace_udp && sk->sk_type == SOCK_DGRAM)
		udp_ready(t, sk);
}

TWIN_PROG("tp_btf/sock_send_length", on_send_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();

	if (!t)
		return;
	socket_sends(t, sk, ret);
	if (no_syscalls)
		no_syscalls_done(t, bpf_ktime_get_ns());
}

/* In the receiver's context: this datagram, with its sender's socket, is being copied out. */
TWIN_PROG("tp_btf/skb_copy_datagram_iovec", on_copy_datagram, const struct sk_buff *skb, int len)
{
	struct sock *sender = skb->sk;
	struct task_state *t;

	if (!sender || sender->__sk_common.skc_family != AF_UNIX || sender->sk_type == SOCK_STREAM)
		return;
	t = current_state();
	if (t) {
		t->receiving.sender = (u64)sender;
		t->receiving.sender_id = unix_sender(sender);
		if (attach)
			unix_copied(t, sender->sk_type);
	} else if (attach && armed_ns) {
		unix_copy_note(sender);
	}
}

TWIN_PROG("tp_btf/sock_recv_length", on_recv_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();

	if (no_syscalls && t)
		t->receiving.is_partial = flags & MSG_WAITALL || sk->sk_rcvlowat > 1;
	if (ret >= 0 && !(flags & MSG_RECEIVES_NONE))
		socket_receives(t, sk, ret);
	else if (no_syscalls && t)
		t->receiving.sender = 0; /* only a peek, or not copied as a whole */
}
