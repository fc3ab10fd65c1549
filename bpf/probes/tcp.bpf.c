/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records what TCP does after a send call has returned: it sends data again that are lost. It does
 * so with the first segment of a connection, too.
 */
#include "transport/handshakes.bpf.h"
#include "transport/tcp.bpf.h"

/* Fires in a softirq, whatever thread runs on this CPU. */
SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(on_tcp_retransmit, struct sock *sk, struct sk_buff *skb)
{
	struct tcp_skb_cb *segment = (struct tcp_skb_cb *)&skb->cb;
	struct channel_key key = tcp_key(sk, true);
	struct channel_state *channel = tcp_known(&key, socket_cookie(sk), true);
	struct record_retransmit again = {};

	if (attach && BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_SYN_SENT)
		tcp_handshake_again(sk);
	if (!channel)
		return 0;
	again.head = record_head(RECORD_RETRANSMIT, sizeof(again), bpf_get_smp_processor_id(), 0);
	again.channel = channel->id;
	again.position = tcp_position(channel->sent, BPF_CORE_READ(segment, seq));
	again.at_ns = bpf_ktime_get_ns();
	emit(&again, sizeof(again));
	return 0;
}
