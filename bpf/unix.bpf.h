/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unix sockets. A channel is a pair of sockets, sender and receiver, because two senders may signal
 * a receiver in another order than they queued; within a pair messages stay in order. Datagrams and
 * seqpackets are counted, of a stream the bytes.
 *
 * The receiver is known by its cookie. The sender is known by its address, because its cookie may
 * not exist yet when the receiver takes the first message, on another CPU, before sock_send_length.
 * An address can come again only after every message of its former owner was taken: a queued skb
 * keeps its sender alive. So as many were sent as received then, and positions stay right.
 *
 *	sender:   sys_enter → [queue] → sk_data_ready(receiver) → sock_send_length(sender)
 *	receiver: sys_enter → [take] → skb_copy_datagram_iovec(skb of the sender)
 *		  → sock_recv_length(receiver) → sys_exit
 *
 * A stream's sender is its receiver's peer; a long write tells of its data several times, and all
 *of it is there after the last.
 */
#ifndef IPCTRACE_UNIX_BPF_H
#define IPCTRACE_UNIX_BPF_H

#include "channel.bpf.h"
#include "socket.bpf.h"

static __always_inline u32 unix_transport(u16 type)
{
	return type == SOCK_STREAM      ? TRANSPORT_UDS_STREAM
	       : type == SOCK_SEQPACKET ? TRANSPORT_UDS_SEQPACKET
					: TRANSPORT_UDS;
}

static __always_inline struct channel_state *unix_channel(const struct channel_key *key, u16 type,
							  struct sock *sender)
{
	struct channel_state *known = channel_known(key);

	if (known)
		return known;
	channel_make(key, unix_transport(type), 0, sender ? bpf_get_socket_cookie(sender) : 0,
		     key->receiver);
	return channel_made(key);
}

/* In the sender's context: it is in the receiver's queue. */
static __always_inline void unix_queued(struct task_state *t, struct sock *sk)
{
	t->queued_ns = bpf_ktime_get_ns();
	t->queued_to = bpf_get_socket_cookie(sk);
}

static __always_inline void unix_sent(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = {.sender = (u64)sk, .receiver = t->queued_to};
	u16 type = sk->sk_type;
	struct channel_state *channel;
	u64 step = type == SOCK_STREAM ? ret : 1;

	/* A connect() tells the listener, too: only what this very call has queued counts. */
	if (ret < 0 || t->queued_ns < t->enter_ns)
		return;
	channel = unix_channel(&key, type, sk);
	if (channel)
		message_sent(t, channel->id, __sync_fetch_and_add(&channel->sent, step), ret,
			     t->queued_ns);
	t->queued_ns = 0;
}

static __always_inline void unix_taken(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = {.sender = t->taken_from};
	u16 type = sk->sk_type;
	struct channel_state *channel;
	struct unix_sock *stream;
	u64 step = 1;

	if (type == SOCK_STREAM) {
		stream = bpf_skc_to_unix_sock(sk);
		if (!stream || !ret)
			return;
		key.sender = (u64)stream->peer;
		step = ret;
	}
	key.receiver = bpf_get_socket_cookie(sk);
	channel = unix_channel(&key, type, NULL);
	if (channel)
		message_taken(t, channel->id, __sync_fetch_and_add(&channel->received, step), ret);
}

#endif
