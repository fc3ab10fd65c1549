/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unix sockets. A channel is a pair of sockets, sender and receiver, because two senders may signal
 * a receiver in another order than they queued; within a pair messages stay in order. Datagrams and
 * seqpackets are counted, of a stream the bytes.
 *
 * The receiver is known by its cookie. The sender is known by its address, because its cookie may
 * not exist yet when the receiver takes the first message, on another CPU, before sock_send_length.
 * An address can come again, but only after every message of its former owner was taken: a queued
 * skb keeps its sender alive. Of an attach, where senders come and go, the inode tells one owner of
 * an address from the next. It is gone when the sender is closed: then it is the owner that has
 * sent last. A stream's receiver has but one sender.
 *
 *	sender:   sys_enter → [queue] → sk_data_ready(receiver) → sock_send_length(sender)
 *	receiver: sys_enter → [take] → skb_copy_datagram_iovec(skb of the sender)
 *		  → sock_recv_length(receiver) → sys_exit
 *
 * A stream's sender is its receiver's peer; a long write tells of its data several times, and all
 * of it is there after the last.
 */
#ifndef IPCTRACE_BPF_TRANSPORT_UNIX_H
#define IPCTRACE_BPF_TRANSPORT_UNIX_H

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/partial_receives.bpf.h"
#include "attach/partial_sends.bpf.h"
#include "attach/peer.bpf.h"
#include "base/socket_id.bpf.h"
#include "transport/receive_calls.bpf.h"
#include "transport/unix_name.bpf.h"
#include "transport/unix_queue.bpf.h"

static __always_inline void unix_note_name(u64 name, u64 address)
{
	bpf_map_update_elem(&unix_names, &name, &address, BPF_ANY);
}

static __always_inline u32 unix_transport(u16 type)
{
	return type == SOCK_STREAM      ? TRANSPORT_UDS_STREAM
	       : type == SOCK_SEQPACKET ? TRANSPORT_UDS_SEQPACKET
					: TRANSPORT_UDS;
}

/* `sender`: its cookie, or 0. */
static __always_inline struct channel_state *unix_channel(const struct channel_key *key, u16 type,
							  u64 sender)
{
	struct channel_state *known = channel_known(key);

	if (known)
		return known;
	channel_make(key, unix_transport(type), 0, sender, key->receiver);
	return channel_made(key);
}

/*
 * What messages to it are known by at both ends. Where calls tell, their sender may know no more
 * than the name that it has bound, see sockets_by_syscall.bpf.c.
 */
static __always_inline u64 unix_receiver(struct sock *sk)
{
	u64 name = 0;

	if (by_syscalls && BPF_CORE_READ(sk, sk_type) == SOCK_DGRAM)
		name = unix_name_of((u64)sk);
	return name ? name : socket_cookie(sk);
}

/* What a sender of messages is known by at both ends; 0: it was closed, see unix_owner(). */
static __always_inline u64 unix_sender(struct sock *sk)
{
	if (by_syscalls)
		return socket_cookie(sk);
	return attach ? UNTRUSTED(struct sock, sk)->sk_socket->file->f_inode->i_ino : (u64)sk;
}

static __always_inline u64 unix_owner(u64 address, u64 receiver)
{
	struct channel_key slot = {.sender = address, .receiver = receiver};
	u64 *known = bpf_map_lookup_elem(&unix_owners, &slot);

	return known ? *known : address;
}

/* In the sender's context: it is in the receiver's queue. */
static __always_inline void unix_queued(struct task_state *t, struct sock *sk)
{
	/* To connect is to send nothing, though it is not forgotten when the next call begins. */
	if (no_syscalls && SOCK_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		return;
	t->sending.queued_ns = bpf_ktime_get_ns();
	t->sending.queued_to = unix_receiver(sk);
	t->sending.unwatched = watch_begin(sk);
}

/* Its address, or 0. */
static __always_inline u64 unix_peer(struct sock *sk)
{
	struct unix_sock *unix_sk = by_syscalls ? (struct unix_sock *)sk : bpf_skc_to_unix_sock(sk);

	return unix_sk ? (u64)SOCK_READ(UNTRUSTED(struct unix_sock, unix_sk), peer) : 0;
}

/*
 * Attach: an address comes again when every message of its former owner was taken, as a queued skb
 * keeps its sender. Then the former one's channel is of no use any more. Returns whether this one
 * has had a channel before, which was forgotten.
 */
static __always_inline bool unix_owns(u64 address, const struct channel_key *key)
{
	struct channel_key slot = {.sender = address, .receiver = key->receiver}, former = slot;
	u64 sender = key->sender, *known = bpf_map_lookup_elem(&unix_owners, &slot);

	if (known && *known == sender)
		return true;
	if (known) {
		former.sender = *known;
		bpf_map_delete_elem(&channels, &former);
	}
	bpf_map_update_elem(&unix_owners, &slot, &sender, BPF_ANY);
	return false;
}

/*
 * Attach: after the first send. Whether nothing can have been in the channel before: of a
 * connection, both ends are as young as it is; a sender of datagrams has to be. Sockets of threads
 * outside of our PID namespace are not marked as old, because iterators do not show them.
 */
static __always_inline bool unix_is_new(const struct task_state *t, u32 type, u32 flags)
{
	if (!is_surveyed || flags & SOCKET_OLD || current_is_outside())
		return false;
	if (type == SOCK_STREAM && flags & SOCKET_HAS_SENT)
		return false;
	return type == SOCK_DGRAM ||
	       (!t->syscall.is_mid_call && !(t->sending.queued_flags & SOCKET_OLD));
}

OUT_OF_LINE void unix_introduce(struct task_state *t, struct channel_state *channel,
				struct sock *sk, const struct channel_key *key)
{
	u32 type = SOCK_READ(sk, sk_type);
	bool had = type != SOCK_STREAM && unix_owns(address_of(t, sk), key);

	channel->has_address = 1;
	channel->baseline.is_new = !had && unix_is_new(t, type, socket_flags(sk));
	socket_mark(sk, SOCKET_HAS_SENT);
	channel_emit(channel->id, unix_transport(type), socket_cookie(sk), key->receiver);
	address_emit_unix(channel->id, (u64)sk, t->sending.queued_sock,
			  t->sending.queued_flags & SOCKET_TARGET ? ADDRESS_TO_TARGET : 0);
}

/*
 * Attach: whether nobody can have taken what the current thread has just sent but one whose
 * receives are counted. A target's are, and those of who has connected to one, or a target to him.
 * Who reads its datagrams may come to be traced by just this.
 */
static __always_inline bool receive_will_be_counted(const struct task_state *t, struct sock *sk)
{
	if (!is_counted(t) ||
	    (t->syscall.is_mid_call && (socket_flags(sk) & SOCKET_OLD || current_is_outside())))
		return false;
	if (t->is_peer || t->sending.queued_flags & (SOCKET_TARGET | SOCKET_FED | SOCKET_HAS_SENT))
		return true;
	return SOCK_READ(sk, sk_type) != SOCK_DGRAM &&
	       !(by_syscalls && (in_pid_ns || t->sending.queued_flags & SOCKET_OLD));
}

/*
 * Attach: the same of whoever has just sent a datagram over this socket of a target's. He may
 * answer somebody who is not back from his first send yet: that has made a peer of him, on a socket
 * that came after us. In a PID namespace it is not known whether it did.
 */
OUT_OF_LINE bool unix_answers(const struct task_state *t, struct sock *sk)
{
	const u32 was_targets = SOCKET_TARGET | SOCKET_OLD;
	struct sock *asker = (struct sock *)t->sending.queued_sock;
	struct channel_key key = {.receiver = socket_cookie(sk)};
	struct channel_state *questions;

	if (by_syscalls || in_pid_ns || !is_surveyed || t->sending.queued_flags & SOCKET_OLD ||
	    (socket_flags(sk) & was_targets) != was_targets)
		return false;
	key.sender = BPF_CORE_READ(asker, sk_socket, file, f_inode, i_ino);
	questions = channel_known(&key);
	return questions && questions->received;
}

/* Attach: after a send. `received`: the receiver's counter, as it was before. */
OUT_OF_LINE void unix_sent_since(struct task_state *t, struct channel_state *channel,
				 struct sock *sk, const struct channel_key *key, u64 received)
{
	if (!channel->has_address)
		unix_introduce(t, channel, sk, key);
	if (channel->baseline.is_known)
		return;
	/* What the present call has sent besides is not counted yet, but waits. */
	baseline_from_sender(channel, current_key(), send_began(t, channel), received,
			     t->sending.has_more
				     ? WAITING_UNKNOWN
				     : unix_waiting_least(t, sk, SOCK_READ(sk, sk_type)));
	if (!t->sending.has_more)
		baseline_of_new_socket(channel);
}

/* Attach: whether the present call sends out of band. */
static __always_inline bool unix_is_urgent(const struct task_state *t)
{
	const struct pt_regs *regs;

	if (!no_syscalls)
		return t->sending.is_urgent;
	regs = task_regs(current_task());
	return call_is_urgent(regs, call_number(regs));
}

/* Attach: its counting begins anew, as another channel. NULL: no room. */
OUT_OF_LINE struct channel_state *unix_restart(const struct channel_key *key, u32 type, u64 sender)
{
	bpf_map_delete_elem(&channels, key);
	return unix_channel(key, type, sender);
}

/*
 * Attach: how much of what was sent out of band is ever taken, and when, depends on who reads.
 * Positions are not the same at both ends any more.
 */
OUT_OF_LINE void unix_sent_urgently(const struct channel_key *key, u64 sender)
{
	struct channel_state *channel = unix_restart(key, SOCK_STREAM, sender);

	if (channel)
		baseline_emit(channel, BASELINE_UNKNOWN, false);
}

static __always_inline void unix_sent(struct task_state *t, struct sock *sk, int ret)
{
	u16 type = SOCK_READ(sk, sk_type);
	struct channel_key key = {.sender = type == SOCK_STREAM ? (u64)sk : unix_sender(sk),
				  .receiver = t->sending.queued_to};
	u64 step = type == SOCK_STREAM ? ret : 1, received, position;
	struct channel_state *channel;
	bool is_doubtful;

	/*
	 * A connect() tells the listener, too: only what this very call has queued counts. Who has
	 * come to be traced by waking the receiver has queued something before.
	 */
	if (ret < 0 || !t->sending.queued_ns || t->sending.queued_ns < t->syscall.enter_ns) {
		if (attach && t->traced_mid_write)
			socket_mark(sk, SOCKET_OLD);
		return;
	}
	if (attach && type == SOCK_STREAM && unix_is_urgent(t)) {
		unix_sent_urgently(&key, socket_cookie(sk));
		t->sending.queued_ns = 0;
		if (t->partial_send.channel)
			partial_send_end(t);
		return;
	}
	channel = unix_channel(&key, type, socket_cookie(sk));
	if (channel && attach &&
	    baseline_was_too_high(channel, current_key(), send_began(t, channel))) {
		channel = unix_restart(&key, type, socket_cookie(sk));
		if (channel) {
			channel->baseline.has_senders = 1;
			baseline_lower(channel, step);
		}
	}
	if (!channel)
		return;
	received = *(volatile u64 *)&channel->received;
	if (attach && !channel->baseline.is_known && !receive_will_be_counted(t, sk) &&
	    !unix_answers(t, sk))
		baseline_lower(channel, step);
	position = FETCH_ADD(&channel->sent, step);
	is_doubtful = attach && send_is_ambiguous(t, channel, position);
	if (attach && !is_counted(t))
		message_beside(t, channel->id);
	else if (type == SOCK_STREAM)
		stream_sent(t, channel->id, position, ret, t->sending.queued_ns, is_doubtful);
	else
		message_sent(t, channel->id, position, ret, t->sending.queued_ns);
	if (attach && !(channel->has_address && channel->baseline.is_known))
		unix_sent_since(t, channel, sk, &key, received);
	t->sending.queued_ns = 0;
	if (attach && t->partial_send.channel)
		partial_send_end(t);
}

/*
 * Attach: a thread sleeps in a call that sends over this socket. Nobody has sent anything over one
 * whose receiver has no cookie yet.
 */
static __always_inline void unix_sleeps(struct task_state *t, const struct open_socket *open)
{
	u64 sender = address_of(t, (void *)open->address);
	struct sock *peer = (struct sock *)BPF_CORE_READ((struct unix_sock *)sender, peer);
	struct channel_key key = {.sender = sender};
	struct channel_state *channel;

	key.receiver = by_syscalls ? socket_cookie(peer)
				   : BPF_CORE_READ(peer, __sk_common.skc_cookie.counter);
	channel = key.receiver ? unix_channel(&key, SOCK_STREAM, open->cookie) : NULL;
	if (channel)
		partial_send_begin(t, &key, channel);
}

static __always_inline struct unix_copy *unix_copy_of_current(void)
{
	u32 slot = current_key() % UNIX_COPIES;

	return bpf_map_lookup_elem(&unix_copies, &slot);
}

/* Attach: one that is not traced yet takes a message; it may come to be, by this one. */
static __always_inline void unix_copy_note(struct sock *sender)
{
	struct unix_copy *copy = unix_copy_of_current();

	if (!copy)
		return;
	copy->sender = (u64)sender;
	copy->sender_id = unix_sender(sender);
	copy->key = current_key();
}

/* Attach: it has not come to be traced by that. */
static __always_inline void unix_copy_forget(void)
{
	struct unix_copy *copy = unix_copy_of_current();

	if (copy && copy->key == current_key())
		copy->key = 0;
}

/* Attach: the current thread has come to be traced after that. */
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
 * Attach: several threads may read one socket, and return from it in another order than they took
 * their messages. While one is being copied, its reader still has the socket to itself.
 */
static __always_inline void unix_copied(struct task_state *t, u16 type)
{
	struct task_struct *task = current_task();
	struct channel_key key = {};
	struct channel_state *channel;

	t->receiving.copied_socket = 0;
	/* The last call's socket is not the one that io_uring takes from. */
	if (is_outside_calls(t))
		return;
	if (no_syscalls || !t->receiving.unix_cookie)
		receive_enter(t, task, task_regs(task));
	if (!t->receiving.unix_cookie)
		return;
	key.receiver = t->receiving.unix_cookie;
	if (!t->receiving.sender_id)
		t->receiving.sender_id = unix_owner(t->receiving.sender, key.receiver);
	key.sender = t->receiving.sender_id;
	channel = unix_channel(&key, type, key.sender);
	if (!channel)
		return;
	t->receiving.copied_pos = FETCH_ADD(&channel->received, 1);
	t->receiving.copied_socket = key.receiver;
	t->receiving.copied_channel = channel->baseline.is_known ? channel->id + 1 : 0;
}

/* Attach: a message that is numbered only now that it has been taken. */
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

/* Another socket may have come to be bound to a receiver's name: its channel begins anew. */
static __always_inline struct channel_state *
unix_same_receiver(struct channel_state *channel, const struct channel_key *key, struct sock *sk)
{
	u64 cookie = socket_cookie(sk);

	if (channel->receiver_cookie && channel->receiver_cookie != cookie) {
		bpf_map_delete_elem(&channels, key);
		channel = unix_channel(key, SOCK_DGRAM, key->sender);
	}
	if (channel && !channel->receiver_cookie) {
		channel->receiver_cookie = cookie;
		unix_note_name(key->receiver, address_as_number(sk));
	}
	return channel;
}

/* `sender` and `receiver` are addresses of sockets, `id` is what the receiver is known by. */
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
 * Attach: a reader has been told of the end of its connection. Nothing comes that way any more; nor
 * goes the other way, unless the peer has only shut down its sending. Where connections come and go
 * by the thousand, the channels of the living keep their place so.
 */
OUT_OF_LINE void unix_ended(struct task_state *t, struct sock *sk)
{
	struct sock *peer = (struct sock *)unix_peer(sk);
	u16 type = SOCK_READ(sk, sk_type);
	u64 id;

	/* Nothing was wanted, perhaps. */
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
 * Where no call is seen, nothing tells what splice() takes out of a stream. Then more has been sent
 * than was taken and still waits: positions are not the same at both ends any more, and nothing
 * that is taken is told of.
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
 * What waits once the current thread has taken something, as unix_waiting() has it. A datagram that
 * another one is taking does not, but may not be counted yet.
 */
static __always_inline s64 unix_left(struct task_state *t, struct channel_state *channel, u64 from,
				     u64 receiver, u16 type)
{
	s64 waiting = unix_waiting(t, address_of(t, (void *)from), receiver, type);

	READ_LATER(&channel->received); /* and the lock after that */
	return type != SOCK_STREAM && unix_is_being_taken(receiver) ? WAITING_UNKNOWN : waiting;
}

static __always_inline void unix_received(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = {.receiver = unix_receiver(sk)};
	u64 step = 1, from = 0, sent, received, receiver, position;
	u16 type = SOCK_READ(sk, sk_type);
	struct channel_state *channel;
	u32 late, reader;

	if (type == SOCK_STREAM) {
		if (!ret) {
			if (attach)
				unix_ended(t, sk);
			return;
		}
		from = unix_peer(sk);
		key.sender = from;
		step = ret;
	} else {
		if (attach && !t->receiving.sender)
			unix_copy_recall(t);
		from = t->receiving.sender;
		if (!from) {
			if (attach && type == SOCK_SEQPACKET)
				unix_ended(t, sk);
			return; /* no empty message */
		}
		key.sender = t->receiving.sender_id ? t->receiving.sender_id
						    : unix_owner(from, key.receiver);
	}
	t->receiving.sender = 0;
	if (attach && t->receiving.copied_socket == key.receiver && t->receiving.copied_channel) {
		t->receiving.copied_socket = 0;
		message_received(t, t->receiving.copied_channel - 1, t->receiving.copied_pos, ret,
				 0);
		return;
	}
	channel = unix_channel(&key, type, type == SOCK_STREAM ? 0 : key.sender);
	if (!channel)
		return;
	if (by_syscalls && type == SOCK_DGRAM)
		channel = unix_same_receiver(channel, &key, sk);
	if (!channel)
		return;
	late = unix_is_numbered_late(t, key.receiver, type);
	reader = type == SOCK_STREAM || late ? current_key() : 0;
	if (attach && baseline_was_too_low(channel, reader, receive_began(t))) {
		channel = unix_restart(&key, type, type == SOCK_STREAM ? 0 : key.sender);
		if (channel)
			channel->baseline.has_readers = 1;
		return;
	}
	sent = *(volatile u64 *)&channel->sent;
	if (attach && no_syscalls && type == SOCK_STREAM &&
	    unix_is_out_of_sync(t, channel, sk, from, sent, ret))
		return;
	position = unix_position(t, channel, key.receiver, step);
	if (attach && type == SOCK_STREAM)
		late = stream_receive_flags(t, sk);
	message_received(t, channel->id, position, ret, late);
	if (!attach || channel->baseline.is_known)
		return;
	receiver = address_of(t, sk);
	received = *(volatile u64 *)&channel->received;
	baseline_from_receiver(channel, reader, receive_began(t), sent, received,
			       unix_left(t, channel, from, receiver, type));
}

#endif
