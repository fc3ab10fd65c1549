/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces TCP between two sockets of this machine. A channel is one direction of a connection.
 * Positions are TCP's sequence numbers, extended to 64 bits.
 *
 * Data become visible to the receiver when the data are in the receiver's socket (rcv_nxt).
 * sk_data_ready shows this instant. Usually the data arrive during the send call, and the SEND
 * record has the time. The data may also arrive later, in a softirq or in the receiver's own
 * context. An ARRIVAL record then has the time. Duplicate ARRIVAL records are harmless.
 */
#pragma once

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/partial_receives.bpf.h"
#include "attach/peer.bpf.h"
#include "base/inet.bpf.h"
#include "base/socket_id.bpf.h"
#include "transport/tcp_held.bpf.h"
#include "transport/tcp_reuse.bpf.h"

static __always_inline struct tcp_sock *tcp_of(struct sock *sk)
{
	return by_syscalls ? (struct tcp_sock *)sk : bpf_skc_to_tcp_sock(sk);
}

/* A connection that is reset, perhaps in the current call, gives its port back. */
static __always_inline u64 tcp_local_port(struct sock *sk)
{
	u64 port = inet_local_port(&sk->__sk_common);

	if (port)
		return port;
	return __builtin_bswap16(BPF_CORE_READ((struct inet_sock *)sk, inet_sport));
}

/* The channel from `sk` to its peer, or back. The peer may be in another network namespace. */
static __always_inline struct channel_key tcp_key(struct sock *sk, bool to_peer)
{
	const struct sock_common *common = &sk->__sk_common;
	u64 here = inet_word(common, true), there = inet_word(common, false);
	u64 port = tcp_local_port(sk), peer_port = inet_peer_port(common);
	u64 network = inet_is_loopback(common) ? inet_network(common) : 0;

	return (struct channel_key){
		.sender = to_peer ? here << 32 | there : there << 32 | here,
		.receiver =
			network << 32 | (to_peer ? port << 16 | peer_port : peer_port << 16 | port),
	};
}

/* A sequence number near `reference`. */
static __always_inline u64 tcp_position(u64 reference, u32 sequence)
{
	return reference + (s32)(sequence - (u32)reference);
}

/* Identifies one direction of a connection. */
static __always_inline u64 tcp_end(const struct channel_key *key)
{
	return key->receiver ^ key->sender * 0x9e3779b97f4a7c15ULL;
}

/* NULL: none, or it is of an earlier connection with the same addresses and ports. */
static __always_inline struct channel_state *tcp_known(const struct channel_key *key, u64 cookie,
						       bool is_sender)
{
	struct channel_state *known = channel_known(key);
	u64 *own, before;

	if (!known || !known->id)
		return NULL;
	own = is_sender ? &known->sender_cookie : &known->receiver_cookie;
	before = *own;
	if (before == cookie)
		return known;
	if (before) {
		tcp_forget(key, known, own, before);
		return NULL;
	}
	*own = cookie;
	return known;
}

/* Makes the channel that tcp_channel() has not found. `sk` is only read. */
static __always_inline struct channel_state *tcp_make(const struct channel_key *key,
						      struct sock *sk, u64 cookie, u32 sequence,
						      bool is_sender, u32 flags)
{
	u32 transport = is_ip4(&sk->__sk_common) ? TRANSPORT_TCP : TRANSPORT_TCP6;
	struct channel_state *known;
	struct channel_key back = tcp_key(sk, !is_sender);

	/* Far from zero: data before the first known byte have positions, too. */
	channel_make(key, transport, 1ULL << 32 | sequence, tcp_end(&back), tcp_end(key));
	known = tcp_known(key, cookie, is_sender);
	/* No room, or the other end has yet to delete that of the earlier connection. */
	if (!known)
		count_loss(LOSS_CHANNELS, 1);
	if (attach && known && !known->baseline.is_known) {
		address_emit_inet(known->id, sk, is_sender,
				  flags & SOCKET_TARGET ? ADDRESS_TO_TARGET : 0);
		baseline_of_new(known); /* positions are the kernel's own */
	}
	return known;
}

/* `sequence`: of the first byte. `flags`: SOCKET_ of the receiving socket, if its sender knows. */
static __always_inline struct channel_state *
tcp_channel(const struct channel_key *key, struct sock *sk, u32 sequence, bool is_sender, u32 flags)
{
	u64 cookie = socket_cookie(sk);
	struct channel_state *known = tcp_known(key, cookie, is_sender);

	if (known)
		return known;
	if (!is_sender)
		flags = socket_flags(sk);
	return tcp_make(key, sk, cookie, sequence, is_sender, flags);
}

/*
 * The end of the received bytes. A FIN has a sequence number, too. It is received with the last
 * bytes if it has arrived by then, that is, when all data of an ended connection are received.
 */
static __always_inline u32 tcp_received_end(struct sock *sk, const struct tcp_sock *tcp)
{
	u32 end = SOCK_READ(tcp, copied_seq);
	bool has_ended = SOCK_READ(sk, sk_shutdown) & RCV_SHUTDOWN;

	return has_ended && end == SOCK_READ(tcp, rcv_nxt) ? end - 1 : end;
}

/*
 * Whether what is in `sk` now may come from the current thread. It does not if the thread holds the
 * lock of `sk`: then it uses that socket itself, and processes what came meanwhile. Nor does it if
 * the current call has already brought data to another socket: softirqs run in the context of any
 * thread.
 */
static __always_inline bool tcp_may_be_from(const struct task_state *t, struct sock *sk,
					    const struct channel_key *key)
{
	if (!t || SOCK_READ(sk, sk_lock.owned) || (no_syscalls && !no_syscalls_in_send()))
		return false;
	return t->sending.queued_ns < t->syscall.enter_ns || !t->sending.queued_ns ||
	       t->sending.queued_to == key->receiver;
}

/* All data before the sequence number `end` have arrived. `flags`: SOCKET_. */
static __always_inline void tcp_arrived(struct task_state *t, struct sock *sk, u32 end, u32 flags)
{
	struct tcp_sock *tcp = tcp_of(sk);
	struct channel_key key = tcp_key(sk, false), back = tcp_key(sk, true);
	struct record_arrival arrival = {};
	struct channel_state *channel;
	u64 now = bpf_ktime_get_ns();
	bool is_from_it;

	if (!tcp || SOCK_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		return;
	is_from_it = tcp_may_be_from(t, sk, &key);
	if (is_from_it) {
		t->sending.unwatched = watch_begin(sk);
		t->sending.queued_ns = now;
		t->sending.queued_inet = 1;
		t->sending.queued_to = key.receiver;
		t->sending.queued_pos = end;
		t->sending.queued_flags = flags;
	}
	channel = tcp_known(&key, socket_cookie(sk), false);
	/*
	 * The first data of a connection, and not only its FIN, may arrive before their send call
	 * is over.
	 */
	if (!channel && !is_from_it && (t || flags || channel_known(&back)) &&
	    end - SOCK_READ(tcp, copied_seq) > (SOCK_READ(sk, sk_shutdown) & RCV_SHUTDOWN ? 1 : 0))
		channel = tcp_channel(&key, sk, SOCK_READ(tcp, copied_seq), false, flags);
	if (!channel)
		return;
	if (is_from_it && channel->sender_thread == current_key() && !channel->late_end)
		return;
	arrival.head = record_head(RECORD_ARRIVAL, sizeof(arrival), bpf_get_smp_processor_id(), 0);
	arrival.channel = channel->id;
	arrival.head.flags = is_unwatched(sk) ? ARRIVAL_UNWATCHED : 0;
	arrival.end = tcp_position(channel->sent, end);
	arrival.at_ns = now;
	emit(&arrival, sizeof(arrival));
	if (arrival.end >= channel->late_end)
		channel->late_end = 0;
}

static __always_inline void tcp_sent(struct task_state *t, struct sock *sk, int ret)
{
	struct tcp_sock *tcp = tcp_of(sk);
	struct channel_key key = tcp_key(sk, true);
	struct channel_state *channel;
	bool arrived, seen, is_ambiguous;
	u64 begin;
	u32 end;

	if (!tcp || ret <= 0)
		return;
	end = SOCK_READ(tcp, write_seq);
	arrived =
		t->sending.queued_ns >= t->syscall.enter_ns && t->sending.queued_to == key.receiver;
	seen = arrived && (s32)((u32)t->sending.queued_pos - end) >= 0;
	channel = tcp_channel(&key, sk, end - ret, true, arrived ? t->sending.queued_flags : 0);
	if (!channel)
		return;
	begin = tcp_position(channel->sent, end) - ret;
	/* Bytes of another thread are in between: these may be before them, or behind. */
	is_ambiguous = attach && channel->sender_thread && begin != channel->sent;
	channel->sent = begin + ret;
	channel->sender_thread = current_key();
	t->sending.held = 0;
	if (!seen) {
		t->sending.held = tcp_held(tcp, sk, end, !channel->late_end);
		channel->late_end = channel->sent;
		t->sending.unwatched = 0; /* what has arrived is something else */
	}
	stream_sent(t, channel->id, begin, ret, seen ? t->sending.queued_ns : 0, is_ambiguous);
	t->sending.queued_ns = 0;
}

static __always_inline void tcp_received(struct task_state *t, struct sock *sk, int ret)
{
	struct tcp_sock *tcp = tcp_of(sk);
	struct channel_key key = tcp_key(sk, false);
	struct channel_state *channel;
	u32 end, flags;
	u64 begin;

	if (!tcp || !ret)
		return;
	end = tcp_received_end(sk, tcp);
	channel = tcp_channel(&key, sk, end - ret, false, 0);
	if (!channel)
		return;
	begin = tcp_position(channel->received, end) - ret;
	flags = attach ? stream_receive_flags(t, sk) : 0;
	/* Which bytes these are is not known: they follow those of others, to leave no gap. */
	if (flags == RECEIVE_AMBIGUOUS)
		begin = FETCH_ADD(&channel->received, ret);
	else
		channel->received = begin + ret;
	message_received(t, channel->id, begin, ret, flags);
}

/* splice() out of the socket, for which there is no socket event. `sk` and `tcp` are only read. */
static __always_inline void tcp_spliced(struct task_state *t, struct sock *sk, struct tcp_sock *tcp,
					int ret)
{
	u64 cookie = sk->__sk_common.skc_cookie.counter;
	struct channel_key key = tcp_key(sk, false);
	u32 end = tcp_received_end(sk, tcp);
	struct channel_state *channel = cookie ? tcp_known(&key, cookie, false) : NULL;

	if (!channel && cookie)
		channel = tcp_make(&key, sk, cookie, end - ret, false,
				   t->is_peer ? 0 : SOCKET_TARGET);
	if (!channel)
		return;
	channel->received = tcp_position(channel->received, end);
	message_received(t, channel->id, channel->received - ret, ret, 0);
}
