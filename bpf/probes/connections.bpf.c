/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes when a TCP connection comes into the queue of its listener. This is the end of
 * the handshake for the end that listens, which the kernel handles in any context.
 */
#include "base/lookup.bpf.h"
#include "base/socket.bpf.h"

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(on_inet_state, const struct sock *sk, const int from, const int to)
{
	u64 address = (u64)sk, now;

	if (to != TCP_ESTABLISHED || from != TCP_SYN_RECV || (attach && !armed_ns))
		return 0;
	now = bpf_ktime_get_ns();
	bpf_map_update_elem(&queued_since, &address, &now, BPF_ANY);
	return 0;
}
