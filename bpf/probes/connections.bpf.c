/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes when a TCP connection comes into the queue of its listener. This is the end of
 * the handshake for the end that listens, which the kernel handles in any context. Also records
 * that a connecting end has got its answer at last, or has given up.
 */
#include "base/lookup.bpf.h"
#include "base/socket.bpf.h"
#include "transport/handshakes.bpf.h"

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(on_inet_state, const struct sock *sk, const int from, const int to)
{
	u64 address = (u64)sk, now;

	if (from == TCP_SYN_SENT && armed_ns)
		tcp_handshake_over(sk, to);
	if (half_open && from == (to == TCP_ESTABLISHED ? TCP_SYN_RECV : TCP_ESTABLISHED))
		tcp_answer_over((struct sock *)sk, to != TCP_ESTABLISHED);
	if (to != TCP_ESTABLISHED || from != TCP_SYN_RECV || (attach && !armed_ns))
		return 0;
	now = bpf_ktime_get_ns();
	bpf_map_update_elem(&queued_since, &address, &now, BPF_ANY);
	return 0;
}

SEC("tp_btf/tcp_retransmit_synack")
int BPF_PROG(on_tcp_answer_again, const struct sock *sk, const struct request_sock *request)
{
	struct tcp_request_sock *tcp = (struct tcp_request_sock *)request;
	u64 address = (u64)sk;

	if (armed_ns && !disarmed_ns && bpf_map_lookup_elem(&listeners, &address) &&
	    was_dropped(sk, tcp))
		tcp_answer_again(sk, tcp);
	return 0;
}
