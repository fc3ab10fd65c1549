/* SPDX-License-Identifier: GPL-2.0 */
/* Reads how much the other end of a TCP connection may still send. */
#pragma once

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * Whether the thread has not received what came, so that the other end may send little more: less
 * than a quarter of that (tcp_receive_window).
 */
static __always_inline bool keeps_other_waiting(const struct tcp_sock *tcp)
{
	s32 unread = BPF_CORE_READ(tcp, rcv_nxt) - BPF_CORE_READ(tcp, copied_seq);
	s32 window = BPF_CORE_READ(tcp, rcv_wup) + BPF_CORE_READ(tcp, rcv_wnd) -
		     BPF_CORE_READ(tcp, rcv_nxt);

	return unread > 0 && window < unread / 4;
}
