/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles sends over unix sockets. Gives each message a position in its channel, and emits a SEND
 * record. unix.bpf.h describes channels and positions.
 */
#pragma once

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/partial_sends.bpf.h"
#include "transport/unix.bpf.h"
#include "transport/unix_queue.bpf.h"

/* In the sender's context: the message is in the receiver's queue. */
static __always_inline void unix_queued(struct task_state *t, struct sock *sk)
{
	/* connect() sends nothing. Without system call events the next call would not clear it. */
	if (no_syscalls && SOCK_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		return;
	t->sending.queued_ns = bpf_ktime_get_ns();
	t->sending.queued_inet = 0;
	t->sending.queued_to = unix_receiver(sk);
	t->sending.unwatched = watch_begin(sk);
}

/*
 * Attach: after the first send. Whether the channel was certainly empty before: both ends of a
 * connection are as young as it is; a sender of datagrams has to be young. Sockets of threads
 * outside of the tracer's PID namespace are not marked as old, because iterators do not show them.
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
 * Attach: whether what the current thread has just sent can only be received by a thread whose
 * receives are counted. Those are a target, and a thread that has connected to a target, or a
 * target to it. A reader of its datagrams may be traced just because of this one.
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
 * Attach: the same for a datagram that goes out over this old socket of a target. It may answer a
 * thread whose first send is not over yet: that send has made it a peer, with a socket of the time
 * after tracing began. In a PID namespace this is not known.
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

/* Attach: after a send. `received`: the receiver's counter before it. */
OUT_OF_LINE void unix_sent_since(struct task_state *t, struct channel_state *channel,
				 struct sock *sk, const struct channel_key *key, u64 received)
{
	if (!channel->has_address)
		unix_introduce(t, channel, sk, key);
	if (channel->baseline.is_known)
		return;
	/* What else the current call has sent is not counted yet, but waits. */
	baseline_from_sender(channel, current_key(), send_began(t, channel), received,
			     t->sending.has_more
				     ? WAITING_UNKNOWN
				     : unix_waiting_least(t, sk, SOCK_READ(sk, sk_type)));
	if (!t->sending.has_more)
		baseline_of_new_socket(channel);
}

/* Attach: whether the current call sends out of band. */
static __always_inline bool unix_is_urgent(const struct task_state *t)
{
	const struct pt_regs *regs;

	if (!no_syscalls)
		return t->sending.is_urgent;
	regs = task_regs(current_task());
	return call_is_urgent(regs, call_number(regs));
}

/* Attach: out-of-band data, which only some readers receive. Positions at both ends differ. */
OUT_OF_LINE void unix_sent_urgently(const struct channel_key *key, u64 sender)
{
	struct channel_state *channel = unix_restart(key, SOCK_STREAM, sender);

	if (channel)
		baseline_emit(channel, BASELINE_UNKNOWN, false);
}

/* Attach: the channel of a send, before it is counted. NULL: no room. */
static __always_inline struct channel_state *unix_channel_to_send(struct task_state *t,
								  struct sock *sk,
								  const struct channel_key *key,
								  u16 type, u64 step)
{
	struct channel_state *channel = unix_channel(key, type, socket_cookie(sk));

	if (!channel || !attach)
		return channel;
	if (baseline_was_too_high(channel, current_key(), send_began(t, channel))) {
		channel = unix_restart(key, type, socket_cookie(sk));
		if (channel) {
			channel->baseline.has_senders = 1;
			baseline_lower(channel, step);
		}
	}
	if (channel && !channel->baseline.is_known && !receive_will_be_counted(t, sk) &&
	    !unix_answers(t, sk))
		baseline_lower(channel, step);
	return channel;
}

static __always_inline void unix_count_send(struct task_state *t, struct sock *sk,
					    struct channel_state *channel,
					    const struct channel_key *key, u16 type, int ret)
{
	u64 received = *(volatile u64 *)&channel->received;
	u64 position = FETCH_ADD(&channel->sent, type == SOCK_STREAM ? ret : 1);
	bool is_ambiguous = attach && send_is_ambiguous(t, channel, position);

	if (attach && !is_counted(t))
		message_beside(t, channel->id);
	else if (type == SOCK_STREAM)
		stream_sent(t, channel->id, position, ret, t->sending.queued_ns, is_ambiguous);
	else
		message_sent(t, channel->id, position, ret, t->sending.queued_ns);
	if (attach && !(channel->has_address && channel->baseline.is_known))
		unix_sent_since(t, channel, sk, key, received);
}

static __always_inline void unix_sent(struct task_state *t, struct sock *sk, int ret)
{
	u16 type = SOCK_READ(sk, sk_type);
	struct channel_key key = {.sender = type == SOCK_STREAM ? (u64)sk : unix_sender(sk),
				  .receiver = t->sending.queued_to};
	struct channel_state *channel;

	/*
	 * connect() wakes the listener, too: only what the current call has queued counts. A thread
	 * whose tracing began when it woke the receiver has queued something before. What a softirq
	 * has brought to a TCP or UDP socket meanwhile is of another thread.
	 */
	if (ret < 0 || !t->sending.queued_ns || t->sending.queued_inet ||
	    t->sending.queued_ns < t->syscall.enter_ns) {
		if (attach && t->traced_mid_write)
			socket_mark(sk, SOCKET_OLD);
		return;
	}
	if (attach && type == SOCK_STREAM && unix_is_urgent(t)) {
		unix_sent_urgently(&key, socket_cookie(sk));
	} else {
		channel = unix_channel_to_send(t, sk, &key, type, type == SOCK_STREAM ? ret : 1);
		if (!channel)
			return;
		unix_count_send(t, sk, channel, &key, type, ret);
	}
	t->sending.queued_ns = 0;
	if (attach && t->partial_send.channel)
		partial_send_end(t);
}

/*
 * Attach: a thread sleeps in a send over this socket. Without a receiver's cookie nothing was sent.
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
