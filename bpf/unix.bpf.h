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
 * of it is there after the last.
 */
#ifndef IPCTRACE_UNIX_BPF_H
#define IPCTRACE_UNIX_BPF_H

#include "address.bpf.h"
#include "peer.bpf.h"
#include "socket_id.bpf.h"
#include "start.bpf.h"
#include "udp_skb.bpf.h"
#include "unix_name.bpf.h"

/* Of a queue whose messages have to be looked at, so many: more than systemd lets it hold. */
#define WAITING_LOOK_MAX 640

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
	channel_make(key, unix_transport(type), 0, sender ? socket_cookie(sender) : 0,
		     key->receiver);
	return channel_made(key);
}

/*
 * What messages to it are known by at both ends. Where calls tell, their sender may know no more
 * than the name that it has bound, see socket_calls.bpf.c.
 */
static __always_inline u64 unix_receiver(struct sock *sk)
{
	u64 name = 0;

	if (by_calls && BPF_CORE_READ(sk, sk_type) == SOCK_DGRAM)
		name = unix_name_of((u64)sk);
	return name ? name : socket_cookie(sk);
}

/* In the sender's context: it is in the receiver's queue. */
static __always_inline void unix_queued(struct task_state *t, struct sock *sk)
{
	t->queued_ns = bpf_ktime_get_ns();
	t->queued_to = unix_receiver(sk);
}

/* Its address, or 0. */
static __always_inline u64 unix_peer(struct sock *sk)
{
	struct unix_sock *unix_sk = by_calls ? (struct unix_sock *)sk : bpf_skc_to_unix_sock(sk);

	return unix_sk ? (u64)SOCK_READ(unix_sk, peer) : 0;
}

/*
 * What `sender` has in `receiver`, messages or bytes; both are addresses of sockets, and 0 is one
 * that is not known.
 */
VERIFIED_ONCE s64 unix_waiting(u64 sender, u64 receiver, u32 type)
{
	struct unix_sock *stream = (struct unix_sock *)receiver;
	struct sock *queue = (struct sock *)receiver;
	u64 end = (u64)&queue->sk_receive_queue, skb, first;
	s64 waiting = 0;

	if (!receiver)
		return WAITING_UNKNOWN;
	if (type == SOCK_STREAM && bpf_core_field_exists(stream->inq_len))
		return BPF_CORE_READ(stream, inq_len);
	if (!BPF_CORE_READ(queue, sk_receive_queue.qlen))
		return 0;
	if (type == SOCK_STREAM)
		return WAITING_UNKNOWN;
	first = (u64)BPF_CORE_READ(queue, sk_receive_queue.next);
	skb = (u64)BPF_CORE_READ(queue, sk_receive_queue.prev);
	for (int i = 0; i < WAITING_LOOK_MAX; i++) {
		/* What was taken under our eyes may have come again, behind what has been counted. */
		if (skb == end)
			return first == (u64)BPF_CORE_READ(queue, sk_receive_queue.next)
				       ? waiting
				       : WAITING_UNKNOWN;
		if (!skb)
			return WAITING_UNKNOWN;
		waiting += is_same((u64)BPF_CORE_READ((struct sk_buff *)skb, sk), sender);
		skb = (u64)BPF_CORE_READ((struct sk_buff *)skb, prev);
	}
	return WAITING_UNKNOWN;
}

/* Attach: after a send. `received`: the receiver's counter, as it was before. */
OUT_OF_LINE void unix_sent_since(struct task_state *t, struct channel_state *channel,
				 struct sock *sk, u64 receiver_cookie, u64 received)
{
	u16 type = SOCK_READ(sk, sk_type);
	bool is_new = !t->is_fresh && !((socket_flags(sk) | t->queued_flags) & SOCKET_OLD);

	if (!channel->has_address) {
		channel->has_address = 1;
		channel_tell(channel->id, unix_transport(type), socket_cookie(sk), receiver_cookie);
		address_tell_unix(channel->id, (u64)sk, t->queued_sock,
				  t->queued_flags & SOCKET_TARGET ? ADDRESS_TO_TARGET : 0);
		if (is_new)
			start_new(channel);
		else
			socket_mark(sk, SOCKET_OLD);
	}
	if (!channel->is_started)
		start_from_sender(channel, received,
				  unix_waiting(address_of(t, sk), t->queued_sock, type));
}

/* Attach: an address that has come again is another sender's, and has a channel of its own. */
OUT_OF_LINE struct channel_state *unix_channel_of(const struct channel_key *key, struct sock *sk)
{
	u16 type = SOCK_READ(sk, sk_type);
	u64 cookie = socket_cookie(sk);
	struct channel_state *channel = unix_channel(key, type, sk);

	if (channel && channel->sender_cookie && channel->sender_cookie != cookie) {
		bpf_map_delete_elem(&channels, key);
		channel = unix_channel(key, type, sk);
	}
	if (channel)
		channel->sender_cookie = cookie;
	return channel;
}

static __always_inline void unix_sent(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = {.sender = (u64)sk, .receiver = t->queued_to};
	u16 type = SOCK_READ(sk, sk_type);
	struct channel_state *channel;
	u64 step = type == SOCK_STREAM ? ret : 1, received, position;
	bool tells;

	/* A connect() tells the listener, too: only what this very call has queued counts. */
	if (ret < 0 || t->queued_ns < t->enter_ns)
		return;
	channel = attach ? unix_channel_of(&key, sk) : unix_channel(&key, type, sk);
	if (!channel)
		return;
	received = *(volatile u64 *)&channel->received;
	tells = !attach || is_counted(t);
	if (!tells && type == SOCK_STREAM)
		start_with_part(channel, ret);
	position = FETCH_ADD(&channel->sent, step);
	if (tells)
		message_sent(t, channel->id, position, ret, t->queued_ns);
	if (attach && !t->has_more && !(channel->has_address && channel->is_started))
		unix_sent_since(t, channel, sk, key.receiver, received);
	t->queued_ns = 0;
}

/*
 * Attach: several threads may read one socket, and return from it in another order than they took
 * their messages. While one is being copied, its reader still has the socket to itself.
 */
static __always_inline void unix_copied(struct task_state *t, struct sock *sender)
{
	struct task_struct *task = current_task();
	struct channel_key key = {.sender = (u64)sender};
	struct channel_state *channel;

	t->copied_socket = 0;
	if (!t->unix_cookie)
		receive_enter(t, task, task_regs(task));
	if (!t->unix_cookie)
		return;
	key.receiver = t->unix_cookie;
	channel = channel_known(&key);
	if (!channel)
		return;
	t->copied_pos = FETCH_ADD(&channel->received, 1);
	t->copied_socket = key.receiver;
	t->copied_id = channel->is_started ? channel->id + 1 : 0;
}

static __always_inline u64 unix_position(struct task_state *t, struct channel_state *channel,
					 u64 receiver, u64 step)
{
	if (!attach || t->copied_socket != receiver)
		return FETCH_ADD(&channel->received, step);
	t->copied_socket = 0;
	return t->copied_pos;
}

static __always_inline void unix_taken(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = {.sender = t->taken_from};
	u16 type = SOCK_READ(sk, sk_type);
	struct channel_state *channel;
	u64 step = 1, sent, receiver;

	if (type == SOCK_STREAM) {
		if (!ret)
			return;
		key.sender = unix_peer(sk);
		step = ret;
	} else if (!key.sender) {
		return; /* the end of a connection, and no empty message */
	}
	t->taken_from = 0;
	key.receiver = unix_receiver(sk);
	if (attach && t->copied_socket == key.receiver && t->copied_id) {
		t->copied_socket = 0;
		message_taken(t, t->copied_id - 1, t->copied_pos, ret);
		return;
	}
	channel = unix_channel(&key, type, NULL);
	if (!channel)
		return;
	sent = *(volatile u64 *)&channel->sent;
	message_taken(t, channel->id, unix_position(t, channel, key.receiver, step), ret);
	if (!attach || channel->is_started)
		return;
	receiver = address_of(t, sk);
	start_from_receiver(channel, sent,
			    unix_waiting(address_of(t, (void *)key.sender), receiver, type));
}

#endif
