/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unix datagram sockets. A channel is a pair of sockets, sender and receiver, because two senders
 * may signal a receiver in another order than they queued; within a pair messages stay in order.
 *
 * The receiver is known by its cookie. The sender is known by its address, because its cookie may
 * not exist yet when the receiver takes the first message, on another CPU, before sock_send_length.
 * An address can come again only after every message of its former owner was taken: a queued skb
 * keeps its sender alive. So as many were sent as received then, and positions stay right.
 *
 *	sender:   sys_enter → [queue] → sk_data_ready(receiver) → sock_send_length(sender)
 *	receiver: sys_enter → [take] → skb_copy_datagram_iovec(skb of the sender)
 *		  → sock_recv_length(receiver) → sys_exit
 */
#include "state.bpf.h"

#define AF_UNIX    1
#define SOCK_DGRAM 2
#define MSG_PEEK   2

static __always_inline bool is_unix_datagram(struct sock *sk)
{
	return sk->__sk_common.skc_family == AF_UNIX && sk->sk_type == SOCK_DGRAM;
}

static __always_inline void announce_channel(u64 sender_cookie, u64 receiver_cookie, u32 id)
{
	struct record_channel record = {};

	record.head = record_head(RECORD_CHANNEL, sizeof(record), bpf_get_smp_processor_id(),
				  (u32)bpf_get_current_pid_tgid());
	record.channel = id;
	record.transport = TRANSPORT_UDS;
	record.sender = sender_cookie;
	record.receiver = receiver_cookie;
	emit(&record, sizeof(record));
}

/*
 * Sender and receiver may both come first, at the same time: one of them makes the channel. The
 * receiver does not know the sender's cookie.
 */
static __noinline void make_channel(const struct channel_key *key, u64 sender_cookie)
{
	struct channel_state fresh = {.id = __sync_fetch_and_add(&channel_cnt, 1)};

	if (!bpf_map_update_elem(&channels, key, &fresh, BPF_NOEXIST))
		announce_channel(sender_cookie, key->receiver, fresh.id);
}

static __always_inline struct channel_state *channel_state(const struct channel_key *key,
							   struct sock *sender)
{
	struct channel_state *known = bpf_map_lookup_elem(&channels, key);

	if (known)
		return known;
	make_channel(key, sender ? bpf_get_socket_cookie(sender) : 0);
	known = bpf_map_lookup_elem(&channels, key);
	if (!known)
		count_loss(LOSS_CHANNELS, 1);
	return known;
}

/* In the sender's context, once per datagram: it is in the receiver's queue. */
SEC("tp_btf/sk_data_ready")
int BPF_PROG(on_data_ready, struct sock *sk)
{
	struct task_state *t = current_state();

	if (!t || !is_unix_datagram(sk))
		return 0;
	t->queued_ns = bpf_ktime_get_ns();
	t->queued_to = bpf_get_socket_cookie(sk);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(on_send_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();
	struct channel_state *channel;
	struct channel_key key = {.sender = (u64)sk};
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct record_send *send;

	if (!t || !t->queued_ns || !c)
		return 0;
	key.receiver = t->queued_to;
	channel = channel_state(&key, sk);
	if (channel) {
		announce_traced(t, bpf_get_current_task_btf(), t->enter_ns);
		send = stage(c, sizeof(*send), sizeof(*send), t->queued_ns);
		send->head = record_head(RECORD_SEND, sizeof(*send), cpu,
					 (u32)bpf_get_current_pid_tgid());
		send->channel = channel->id;
		send->bytes = ret;
		send->position = __sync_fetch_and_add(&channel->sent, 1);
		send->send_ns = t->enter_ns;
		send->queued_ns = t->queued_ns;
	}
	t->queued_ns = 0;
	return 0;
}

/* In the receiver's context: this datagram, with its sender's socket, is being copied out. */
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(on_copy_datagram, const struct sk_buff *skb, int len)
{
	struct task_state *t = current_state();

	if (t)
		t->taken_from = (u64)skb->sk;
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_recv_length, struct sock *sk, int ret, int flags)
{
	struct task_state *t = current_state();
	struct channel_state *channel;
	struct channel_key key = {};

	if (!t || ret < 0 || (flags & MSG_PEEK) || !is_unix_datagram(sk))
		return 0;
	key.sender = t->taken_from;
	key.receiver = bpf_get_socket_cookie(sk);
	channel = channel_state(&key, NULL);
	if (!channel)
		return 0;
	announce_traced(t, bpf_get_current_task_btf(), t->enter_ns);
	t->receive.channel = channel->id;
	t->receive.bytes = ret;
	t->receive.position = __sync_fetch_and_add(&channel->received, 1);
	t->receive.enter_ns = t->enter_ns;
	t->taken = 1;
	return 0;
}
