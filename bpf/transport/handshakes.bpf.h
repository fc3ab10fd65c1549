/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Emits HANDSHAKE while a connection to a target has to wait for its handshake (attach). These
 * events are rare, and show connections that still wait when tracing ends, or that began before it:
 *
 *	connect()  SYN --> dropped     1 s  SYN --> dropped     2 s  SYN --> SYN, ACK
 *	                               HANDSHAKE                HANDSHAKE   HANDSHAKE: over
 *
 *	connect()  SYN --> SYN, ACK --> ACK --> full: dropped     1 s  SYN, ACK
 *	                                                          HANDSHAKE
 *
 * Unix: a thread that finds the queue of its listener full sleeps in connect(). It emits one
 * HANDSHAKE when the call begins; the CONNECT at the end of the call says that it is over.
 */
#pragma once

#include "attach/listening.bpf.h"
#include "record_connections.h"
#include "transport/tcp.bpf.h"

/* Some connection was not put into the queue of its listener: such ones are looked for. */
static bool half_open;

/* One that is said to have begun longer ago uses another clock: the kernel's limit is 2 min. */
#define HANDSHAKE_LONGEST_MS 600000

/* Both ends of a TCP connection make the same of the direction from the connecting end. */
static __always_inline void link_tcp(struct sock *sk, bool is_connecting, u64 *address, u32 *ports)
{
	struct channel_key key = tcp_key(sk, is_connecting);

	*address = key.sender ^ key.receiver >> 32;
	*ports = key.receiver;
}

static __always_inline void handshake_emit(struct record_handshake *record, u64 listener, u32 flags)
{
	struct sock *sk = (struct sock *)listener;

	if (listener > LISTENER_LAST_WORD) {
		record->listener = sock_word(sk);
		record->backlog = BPF_CORE_READ(sk, sk_max_ack_backlog);
		record->waiting = record->family == AF_UNIX
					  ? BPF_CORE_READ(sk, sk_receive_queue.qlen)
					  : BPF_CORE_READ(sk, sk_ack_backlog);
	}
	record->head =
		record_head(RECORD_HANDSHAKE, sizeof(*record), bpf_get_smp_processor_id(), 0);
	record->head.flags = flags;
	emit(record, sizeof(*record));
}

/* A thread is about to sleep in connect(), unless it may not sleep. */
OUT_OF_LINE void unix_handshake_waits(struct sock *sk, u64 listener, u64 enter_ns, u32 flags)
{
	struct record_handshake record = {
		.family = AF_UNIX, .began_ns = enter_ns, .at_ns = enter_ns};

	record.socket = sock_word(sk);
	record.address = record.socket;
	record.number = inode_of(sk);
	handshake_emit(&record, listener, HANDSHAKE_FULL | flags);
}

/* Its call was interrupted: by a signal that ends the thread, or the call is made again. */
OUT_OF_LINE void unix_handshake_over(struct sock *sk)
{
	u64 now = bpf_ktime_get_ns();
	struct record_handshake record = {.family = AF_UNIX, .began_ns = now, .at_ns = now};

	record.socket = sock_word(sk);
	handshake_emit(&record, 0, HANDSHAKE_OVER | HANDSHAKE_FAILED);
}

/* Whether the peer's address is on this machine for certain. */
static __always_inline bool peer_is_here(const struct sock_common *common)
{
	u32 there = inet_word(common, false);

	return there && there == inet_word(common, true);
}

/* The listener of a target that this socket connects to; 0: none; or LISTENERS_SEVERAL. */
static __always_inline u64 listener_of_peer(struct sock *sk)
{
	const struct sock_common *common = &sk->__sk_common;
	u64 place = port_word(BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum),
			      inet_peer_port(common)),
	    *known;

	if (!inet_is_loopback(common) && !peer_is_here(common))
		return 0;
	known = bpf_map_lookup_elem(&listening, &place);
	return known && (*known == LISTENERS_SEVERAL || listens(*known)) ? *known : 0;
}

/* When the first segment left, to the millisecond: the kernel keeps it as such; 0: not known. */
static __always_inline u64 handshake_began_ns(struct sock *sk, u64 now)
{
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	u32 ms = (u32)(now / 1000000) - BPF_CORE_READ(tcp, retrans_stamp);

	return ms < HANDSHAKE_LONGEST_MS ? now - (u64)ms * 1000000 : 0;
}

/* The first segment of a connection was sent again. */
OUT_OF_LINE void tcp_handshake_again(struct sock *sk)
{
	u64 listener = listener_of_peer(sk), now = bpf_ktime_get_ns(), key = address_as_number(sk);
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	struct record_handshake record = {.at_ns = now};
	u8 yes = 1;

	if (!listener || !armed_ns || disarmed_ns)
		return;
	record.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	record.port = inet_peer_port(&sk->__sk_common);
	record.retransmits = BPF_CORE_READ(tcp, total_retrans);
	record.began_ns = handshake_began_ns(sk, now);
	record.socket = sock_word(sk);
	record.number = BPF_CORE_READ(tcp, write_seq);
	link_tcp(UNTRUSTED(struct sock, sk), true, &record.address, &record.ports);
	bpf_map_update_elem(&handshakes, &key, &yes, BPF_ANY);
	handshake_emit(&record, listener, listener_is_full(listener) ? HANDSHAKE_FULL : 0);
}

static __always_inline u64 link_word(u64 address, u32 ports)
{
	return (address ^ ports) * 0x9e3779b97f4a7c15ULL | 1; /* no address of a socket is odd */
}

/* Whether the last ACK came, and was dropped as the queue was full. */
static __always_inline bool was_dropped(const struct sock *listener,
					const struct tcp_request_sock *request)
{
	const struct inet_connection_sock *accepting = (const void *)listener;
	const struct inet_request_sock *inet = (const void *)request;

	return BPF_CORE_READ_BITFIELD_PROBED(inet, acked) &&
	       !BPF_CORE_READ(accepting, icsk_accept_queue.rskq_defer_accept);
}

/* The kernel has sent its answer to a first segment again, as the queue had no room. */
OUT_OF_LINE void tcp_answer_again(const struct sock *listener, struct tcp_request_sock *request)
{
	struct sock *sk = (struct sock *)request; /* both begin with the same struct */
	struct record_handshake record = {.at_ns = bpf_ktime_get_ns()};
	u64 began_ns = BPF_CORE_READ(request, snt_synack) * 1000, key;
	u8 yes = 1;

	record.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	record.port = BPF_CORE_READ(sk, __sk_common.skc_num);
	record.retransmits = BPF_CORE_READ((struct request_sock *)request, num_retrans);
	record.number = BPF_CORE_READ(request, rcv_isn) + 1;
	if (record.at_ns - began_ns < HANDSHAKE_LONGEST_MS * 1000000ULL)
		record.began_ns = began_ns;
	link_tcp(UNTRUSTED(struct sock, sk), false, &record.address, &record.ports);
	key = link_word(record.address, record.ports);
	record.socket = key;
	half_open = true;
	bpf_map_update_elem(&handshakes, &key, &yes, BPF_ANY);
	handshake_emit(&record, (u64)listener, HANDSHAKE_FULL);
}

static __always_inline void handshake_over(u64 key, u64 socket, u32 flags)
{
	struct record_handshake record = {.family = AF_INET};

	if (bpf_map_delete_elem(&handshakes, &key))
		return;
	record.at_ns = bpf_ktime_get_ns();
	record.began_ns = record.at_ns;
	record.socket = socket;
	handshake_emit(&record, 0, HANDSHAKE_OVER | flags);
}

/* A connecting socket has got its answer, or has given up. */
OUT_OF_LINE void tcp_handshake_over(const struct sock *sk, int to)
{
	handshake_over(address_as_number((void *)sk), sock_word(sk),
		       to == TCP_ESTABLISHED ? 0 : HANDSHAKE_FAILED);
}

/* A connection is in the queue at last, or its other end is closed. */
OUT_OF_LINE void tcp_answer_over(struct sock *sk, bool is_connecting)
{
	u64 address, key;
	u32 ports;

	link_tcp(UNTRUSTED(struct sock, sk), is_connecting, &address, &ports);
	key = link_word(address, ports);
	handshake_over(key, key, is_connecting ? HANDSHAKE_FAILED : 0);
}
