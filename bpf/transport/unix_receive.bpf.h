/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles receives from unix sockets. Finds the channel and the position of the received message,
 * and emits a RECEIVE record. unix.bpf.h describes channels and positions.
 */
#pragma once

#include "attach/baseline.bpf.h"
#include "attach/partial_receives.bpf.h"
#include "transport/receive_calls.bpf.h"
#include "transport/unix.bpf.h"
#include "transport/unix_queue.bpf.h"

static __always_inline struct unix_copy *unix_copy_of_current(void)
{
	u32 slot = current_key() % UNIX_COPIES;

	return bpf_map_lookup_elem(&unix_copies, &slot);
}

/* Attach: an untraced thread receives a message, which may be the reason to trace it. */
static __always_inline void unix_copy_note(struct sock *sender)
{
	struct unix_copy *copy = unix_copy_of_current();

	if (!copy)
		return;
	copy->sender = (u64)sender;
	copy->sender_id = unix_sender(sender);
	copy->key = current_key();
}

/* Attach: the thread is not traced for that message. */
static __always_inline void unix_copy_forget(void)
{
	struct unix_copy *copy = unix_copy_of_current();

	if (copy && copy->key == current_key())
		copy->key = 0;
}

/* Attach: the current thread has been traced after that. */
static __always_inline void unix_copy_recall(struct task_state *t)
{
	struct unix_copy *copy = unix_copy_of_current();

	if (!copy || copy->key != current_key())
		return;
	t->receiving.sender = copy->sender;
	t->receiving.sender_id = copy->sender_id;
	copy->key = 0;
}

/*
 * Attach: several threads may read one socket and return in another order than they received. While
 * a message is copied, its reader still holds the socket alone: so the position is given here.
 */
static __always_inline void unix_copied(struct task_state *t, u16 type)
{
	struct task_struct *task = current_task();
	struct channel_key key = {};
	struct channel_state *channel;

	t->receiving.copied_socket = 0;
	/* io_uring may receive from another socket than the last call. */
	if (is_outside_calls(t))
		return;
	if (!looks_up_receives)
		looks_up_receives = 1;
	if (no_syscalls || !t->receiving.unix_cookie)
		receive_look_up(t, task, task_regs(task));
	if (!t->receiving.unix_cookie)
		return;
	key.receiver = t->receiving.unix_cookie;
	if (!t->receiving.sender_id)
		t->receiving.sender_id = unix_owner(t->receiving.sender, key.receiver);
	key.sender = t->receiving.sender_id;
	channel = unix_channel(&key, type, 0);
	if (!channel)
		return;
	t->receiving.copied_pos = FETCH_ADD(&channel->received, 1);
	t->receiving.copied_socket = key.receiver;
	t->receiving.copied_channel = channel->baseline.is_known ? channel->id + 1 : 0;
}

/* Attach: a message that gets its position only after its receive. */
static __always_inline u32 unix_is_numbered_late(const struct task_state *t, u64 receiver, u16 type)
{
	bool late = attach && !by_syscalls && type != SOCK_STREAM &&
		    t->receiving.copied_socket != receiver;

	return late ? RECEIVE_LATE : 0;
}

static __always_inline u64 unix_position(struct task_state *t, struct channel_state *channel,
					 u64 receiver, u64 step)
{
	if (!attach || t->receiving.copied_socket != receiver)
		return FETCH_ADD(&channel->received, step);
	t->receiving.copied_socket = 0;
	return t->receiving.copied_pos;
}

/* Another socket may have been bound to a receiver's name: its channel begins anew. */
static __always_inline struct channel_state *
unix_same_receiver(struct channel_state *channel, const struct channel_key *key, struct sock *sk)
{
	u64 cookie = socket_cookie(sk);

	if (channel->receiver_cookie && channel->receiver_cookie != cookie) {
		bpf_map_delete_elem(&channels, key);
		channel = unix_channel(key, SOCK_DGRAM, 0);
	}
	if (channel && !channel->receiver_cookie) {
		channel->receiver_cookie = cookie;
		unix_note_name(key->receiver, address_as_number(sk));
	}
	return channel;
}

/* `sender` and `receiver` are addresses of sockets; `id` is what the receiver is known by. */
static __always_inline void unix_forget(u64 sender, u64 id, u16 type)
{
	struct channel_key slot = {.sender = sender, .receiver = id}, key = slot;

	if (type != SOCK_STREAM) {
		key.sender = unix_owner(sender, id);
		bpf_map_delete_elem(&unix_owners, &slot);
	}
	bpf_map_delete_elem(&channels, &key);
}

/*
 * Attach: a reader has seen the end of its connection. Nothing more arrives in this direction, nor
 * in the other one, unless the peer has only shut down its sending. The channels are deleted, so
 * that channels in use keep their place where thousands of connections come and go.
 */
OUT_OF_LINE void unix_ended(struct task_state *t, struct sock *sk)
{
	struct sock *peer = (struct sock *)unix_peer(sk);
	u16 type = SOCK_READ(sk, sk_type);
	u64 id;

	/* The call may have asked for no bytes. */
	if (!peer || !(SOCK_READ(sk, sk_shutdown) & RCV_SHUTDOWN) ||
	    SOCK_READ(sk, sk_receive_queue.qlen))
		return;
	unix_forget((u64)peer, unix_receiver(sk), type);
	if (!(BPF_CORE_READ(peer, __sk_common.skc_flags) & SK_FLAGS_DEAD))
		return;
	id = by_syscalls ? socket_cookie(peer)
			 : BPF_CORE_READ(peer, __sk_common.skc_cookie.counter);
	if (id)
		unix_forget(address_of(t, sk), id, type);
}

/*
 * Without system call events, nothing shows what splice() receives from a stream. Then more was
 * sent than was received and waits: positions differ, and nothing that is received is emitted.
 */
static __always_inline bool unix_is_out_of_sync(struct task_state *t, struct channel_state *channel,
						struct sock *sk, u64 from, s64 sent, s64 ret)
{
	s64 waiting;

	if (channel->is_out_of_sync || !channel->baseline.is_known)
		return channel->is_out_of_sync;
	waiting = unix_waiting(t, address_of(t, (void *)from), address_of(t, sk), SOCK_STREAM);
	channel->is_out_of_sync =
		waiting != WAITING_UNKNOWN &&
		waiting - sent + (s64)channel->received + ret < channel->baseline.most;
	return channel->is_out_of_sync;
}

/*
 * What waits after a receive of the current thread, as in unix_waiting(). A datagram that another
 * thread is receiving does not wait, but may not be counted yet.
 */
static __always_inline s64 unix_left(struct task_state *t, struct channel_state *channel, u64 from,
				     u64 receiver, u16 type)
{
	s64 waiting = unix_waiting(t, address_of(t, (void *)from), receiver, type);

	READ_LATER(&channel->received); /* and the lock after that */
	return type != SOCK_STREAM && unix_is_being_received(receiver) ? WAITING_UNKNOWN : waiting;
}

/*
 * Finds the sender of what the current thread has received: what it is known by, and its address.
 * False: nothing was received, or an empty message.
 */
static __always_inline bool unix_find_sender(struct task_state *t, struct sock *sk, u16 type,
					     int ret, struct channel_key *key, u64 *from)
{
	bool has_message;

	if (type == SOCK_STREAM) {
		has_message = ret;
		*from = has_message ? unix_peer(sk) : 0;
		key->sender = *from;
	} else {
		if (attach && !t->receiving.sender)
			unix_copy_recall(t);
		*from = t->receiving.sender;
		has_message = *from;
		if (has_message)
			key->sender = t->receiving.sender_id ? t->receiving.sender_id
							     : unix_owner(*from, key->receiver);
	}
	if (!has_message && attach && type != SOCK_DGRAM)
		unix_ended(t, sk);
	return has_message;
}

/* After a receive whose channel's baseline is not known yet. */
static __always_inline void unix_received_since(struct task_state *t, struct channel_state *channel,
						struct sock *sk, u16 type, u64 from, u32 reader,
						u64 sent)
{
	u64 receiver = address_of(t, sk), received = *(volatile u64 *)&channel->received;

	baseline_from_receiver(channel, reader, receive_began(t), sent, received,
			       unix_left(t, channel, from, receiver, type));
}

static __always_inline void unix_count_receive(struct task_state *t, struct channel_state *channel,
					       const struct channel_key *key, struct sock *sk,
					       u16 type, u64 from, int ret)
{
	u32 flags = unix_is_numbered_late(t, key->receiver, type);
	u32 reader = type == SOCK_STREAM || flags ? current_key() : 0;
	u64 sent, position;

	if (attach && baseline_was_too_low(channel, reader, receive_began(t))) {
		channel = unix_restart(key, type, 0);
		if (channel)
			channel->baseline.has_readers = 1;
		return;
	}
	sent = *(volatile u64 *)&channel->sent;
	if (attach && no_syscalls && type == SOCK_STREAM &&
	    unix_is_out_of_sync(t, channel, sk, from, sent, ret))
		return;
	position = unix_position(t, channel, key->receiver, type == SOCK_STREAM ? ret : 1);
	if (attach && type == SOCK_STREAM)
		flags = stream_receive_flags(t, sk);
	message_received(t, channel->id, position, ret, flags);
	if (attach && !channel->baseline.is_known)
		unix_received_since(t, channel, sk, type, from, reader, sent);
}

static __always_inline void unix_received(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = {.receiver = unix_receiver(sk)};
	u16 type = SOCK_READ(sk, sk_type);
	struct channel_state *channel;
	u64 from;

	if (!unix_find_sender(t, sk, type, ret, &key, &from))
		return;
	t->receiving.sender = 0;
	if (attach && t->receiving.copied_socket == key.receiver && t->receiving.copied_channel) {
		t->receiving.copied_socket = 0;
		message_received(t, t->receiving.copied_channel - 1, t->receiving.copied_pos, ret,
				 0);
		return;
	}
	channel = unix_channel(&key, type, 0);
	if (channel && by_syscalls && type == SOCK_DGRAM)
		channel = unix_same_receiver(channel, &key, sk);
	if (channel)
		unix_count_receive(t, channel, &key, sk, type, from, ret);
}
