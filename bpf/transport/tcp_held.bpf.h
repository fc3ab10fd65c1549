/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds out why data lie in a TCP socket at the end of the send call, by the conditions that the
 * kernel itself applies before it sends a segment (tcp_write_xmit):
 *
 *	acknowledged | under way | not sent yet |
 *	          snd_una     snd_nxt       write_seq
 */
#pragma once

#include "base/socket.bpf.h"
#include "base/syscalls.bpf.h"
#include "kernel/cast.bpf.h"

/* include/net/tcp.h */
#define TCP_NAGLE_CORK 2

/* include/net/sock.h */
#define SK_PACING_NEEDED 1

/* A receiver in this distance acknowledges at once, or it delays that. */
#define NEAR_US 1000

/* Whether the receiver's window ends before `end`: data up to there cannot leave the sender. */
static __always_inline bool tcp_has_no_room(const struct tcp_sock *tcp, u32 end)
{
	return (s32)(end - SOCK_READ(tcp, snd_una) - SOCK_READ(tcp, snd_wnd)) > 0;
}

/* Whether the current call has announced that more data follow. */
static __always_inline bool call_announces_more(void)
{
	const struct pt_regs *regs = task_regs(current_task());
	long number = call_number(regs);

	return (number == __NR_sendto && call_argument(regs, 3) & MSG_MORE) ||
	       (number == __NR_sendmsg && call_argument(regs, 2) & MSG_MORE);
}

/* Whether as many packets are under way as the congestion window allows (tcp_cwnd_test). */
static __always_inline bool tcp_is_congested(const struct tcp_sock *tcp)
{
	u32 in_flight = SOCK_READ(tcp, packets_out) + SOCK_READ(tcp, retrans_out) -
			SOCK_READ(tcp, sacked_out) - SOCK_READ(tcp, lost_out);

	return in_flight >= SOCK_READ(tcp, snd_cwnd);
}

/* Whether a small segment is under way that is not acknowledged yet (tcp_minshall_check). */
static __always_inline bool tcp_has_small_segment(const struct tcp_sock *tcp)
{
	u32 small = SOCK_READ(tcp, snd_sml);

	return SOCK_READ(tcp, packets_out) && (s32)(small - SOCK_READ(tcp, snd_una)) > 0 &&
	       (s32)(small - SOCK_READ(tcp, snd_nxt)) <= 0;
}

/* More than that in socket buffers of its own, in bytes, is data: acknowledgements count as 2. */
#define WMEM_OF_ACKS 256

/*
 * Whether packets of the socket are on their way to a network device, and wait there: its queue has
 * packets, and some of the socket's have not been handed over to the device. A device that leads
 * to a socket on this machine makes them the receiver's when it gets them. A device whose queues
 * have no common count (mq, pfifo_fast) shows none.
 *
 *	TCP -> IP -> | queue (qdisc) | -> device -> ... -> receiver
 *	the socket's own (sk_wmem_alloc) |
 */
static __always_inline bool tcp_is_in_device_queue(struct sock *sk)
{
	struct sock *socket = UNTRUSTED(struct sock, sk);

	return BPF_CORE_READ(socket, sk_wmem_alloc.refs.counter) > WMEM_OF_ACKS &&
	       BPF_CORE_READ(socket, sk_dst_cache, dev, qdisc, q.qlen);
}

/*
 * What `held` of struct sending_state becomes. `end`: of the message, not all of which has reached
 * the receiver. `arrived`: all data before the message have. Not inlined: rarely runs.
 */
OUT_OF_LINE u32 tcp_held(const struct tcp_sock *tcp, struct sock *sk, u32 end, bool arrived)
{
	u32 unsent = end - SOCK_READ(tcp, snd_nxt), nonagle, other;

	if (tcp_has_no_room(tcp, end))
		return SEND_NO_ROOM;
	other = deep && tcp_is_in_device_queue(sk) ? SEND_HELD * HELD_DEVICE : 0;
	if ((s32)unsent <= 0)
		return other;
	/* As many are under way because they wait there. */
	if (tcp_is_congested(tcp))
		return other ? other : SEND_HELD * HELD_CONGESTION;
	if (SOCK_READ(sk, sk_pacing_status) == SK_PACING_NEEDED &&
	    SOCK_READ(tcp, tcp_wstamp_ns) > bpf_ktime_get_ns())
		return SEND_HELD * HELD_PACING;
	if (unsent >= SOCK_READ(tcp, mss_cache))
		return other;
	nonagle = BPF_CORE_READ_BITFIELD_PROBED(tcp, nonagle);
	if (nonagle & TCP_NAGLE_CORK || call_announces_more())
		return SEND_HELD * HELD_CORK;
	if (nonagle || !tcp_has_small_segment(tcp))
		return other;
	return SEND_HELD *
	       (arrived && SOCK_READ(tcp, rtt_min.s[0].v) < NEAR_US ? HELD_ACK : HELD_NAGLE);
}
