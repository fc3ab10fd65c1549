/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces UDP of the project's own workload (run mode) on Linux 6.3 and later. A channel is a
 * receiving socket. The position of a datagram is the number of datagrams that were queued earlier
 * in this socket. A dropped datagram has no position.
 *
 * Usually the send call itself queues the datagram, so the BPF programs know the position when the
 * call ends. If ksoftirqd queues the datagram later, the position is unknown, and the SEND record
 * says so.
 *
 * udp_packets.bpf.h traces UDP in all other cases. That method costs more for each message, but
 * also works if the send call does not queue the datagram itself.
 */
#pragma once

#include "base/channel.bpf.h"
#include "base/inet.bpf.h"

static __always_inline struct channel_key udp_key(struct sock *receiver)
{
	return (struct channel_key){.receiver = socket_cookie(receiver)};
}

static __always_inline struct channel_state *udp_channel(const struct channel_key *key,
							 struct sock *sk)
{
	struct channel_state *known = channel_known(key);
	bool v6 = sk->__sk_common.skc_family == AF_INET6;

	if (known)
		return known;
	channel_make(key, v6 ? TRANSPORT_UDP6 : TRANSPORT_UDP, 0, 0, key->receiver);
	return channel_made(key);
}

/* The source port of the youngest datagram in the queue; 0: it has been received already. */
static __always_inline u16 udp_youngest_source(struct sock *sk)
{
	struct sk_buff *skb = sk->sk_receive_queue.prev;
	u16 port = 0;

	if ((u64)skb == (u64)&sk->sk_receive_queue)
		return 0;
	/* The source port comes first in the header. */
	bpf_probe_read_kernel(&port, sizeof(port),
			      BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, transport_header));
	return __builtin_bswap16(port);
}

/* The ports of that datagram: in the lower half the source port, if known. */
static __always_inline u32 udp_ports(struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;
	u16 source = inet_peer_port(common);

	if (!source)
		source = udp_youngest_source(sk);
	return inet_local_port(common) << 16 | source;
}

/* Whether `sk` may have sent it. A socket that is not connected sends to any port. */
static __always_inline bool udp_is_from(u32 ports, struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;
	u16 source = ports, port = inet_peer_port(common);

	return (!source || source == inet_local_port(common)) && (!port || port == ports >> 16);
}

static __always_inline void udp_queued(struct task_state *t, struct sock *sk)
{
	struct channel_key key = udp_key(sk);
	struct channel_state *channel = t ? udp_channel(&key, sk) : channel_known(&key);
	u64 position;

	if (!channel)
		return;
	position = FETCH_ADD(&channel->sent, 1);
	if (!t)
		return;
	t->sending.queued_ns = bpf_ktime_get_ns();
	t->sending.queued_inet = 1;
	t->sending.queued_to = (u64)channel->id << 32 | udp_ports(sk);
	t->sending.queued_pos = position;
}

static __always_inline void udp_sent(struct task_state *t, struct sock *sk, int ret)
{
	if (ret < 0)
		return;
	if (t->sending.queued_ns >= t->syscall.enter_ns && udp_is_from(t->sending.queued_to, sk))
		message_sent(t, t->sending.queued_to >> 32, t->sending.queued_pos, ret,
			     t->sending.queued_ns);
	else
		message_sent(t, CHANNEL_UNKNOWN, POSITION_NONE, ret, 0);
	t->sending.queued_ns = 0;
}

static __always_inline void udp_received(struct task_state *t, struct sock *sk, int ret)
{
	struct channel_key key = udp_key(sk);
	struct channel_state *channel = udp_channel(&key, sk);

	if (channel)
		message_received(t, channel->id, FETCH_ADD(&channel->received, 1), ret, 0);
}
