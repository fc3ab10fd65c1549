/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Handles receive calls that may sleep after receiving a part of the data. Such a call waits for
 * all bytes (MSG_WAITALL) or for a number of bytes (SO_RCVLOWAT). Other threads may receive bytes
 * from the same socket during the sleep:
 *
 *	thread 1   |---- receive: a part ... asleep ... the rest ----| counted
 *	thread 2                          |- receive -| counted
 *
 * The bytes are counted only at the end of a receive. The receives of both threads are therefore
 * marked as ambiguous, because their positions (byte offsets) are uncertain.
 *
 * Such calls are counted for each socket, not for each channel: a call may begin before the first
 * send, and no channel exists then.
 */
#pragma once

#include "base/lookup.bpf.h"
#include "base/syscalls.bpf.h"

static __always_inline void partial_receive_begin(struct task_state *t, u64 sock)
{
	const struct partial_receive_calls none = {};
	struct partial_receive_calls *receives;

	t->partial_receive.sock = sock;
	receives = bpf_map_lookup_elem(&partial_receives, &t->partial_receive.sock);
	if (!receives) {
		bpf_map_update_elem(&partial_receives, &t->partial_receive.sock, &none,
				    BPF_NOEXIST);
		receives = bpf_map_lookup_elem(&partial_receives, &t->partial_receive.sock);
	}
	if (!receives) {
		t->partial_receive.sock = 0;
		return;
	}
	t->partial_receive.done_before = *(volatile u32 *)&receives->done;
	__sync_fetch_and_add(&receives->under_way, 1);
	__sync_fetch_and_add(&partial_receive_cnt, 1);
}

/* The call is over. */
OUT_OF_LINE void partial_receive_end(struct task_state *t)
{
	struct partial_receive_calls *receives =
		bpf_map_lookup_elem(&partial_receives, &t->partial_receive.sock);

	if (receives)
		__sync_fetch_and_add(&receives->under_way, -1);
	__sync_fetch_and_add(&partial_receive_cnt, -1);
	t->partial_receive.sock = 0;
}

/*
 * The thread's current call may receive in parts. If tracing began in the middle of it, what it had
 * received by then is not known.
 */
OUT_OF_LINE void stream_receive_begin(struct task_state *t, struct task_struct *task)
{
	struct open_socket open = socket_of(file_of_task(task, call_argument(task_regs(task), 0)));

	t->receiving.is_partial = open.address && open.type == SOCK_STREAM;
	if (t->receiving.is_partial)
		partial_receive_begin(t, open.address);
}

/* The flags of a receive from this socket, when it is counted. */
static __always_inline u32 stream_receive_flags(struct task_state *t, const struct sock *sk)
{
	u32 late = t->receiving.is_partial ? RECEIVE_LATE : 0;
	struct partial_receive_calls *receives;
	bool is_partial;
	u32 done;

	if (!*(volatile u32 *)&partial_receive_cnt)
		return late;
	is_partial = address_of(t, sk) == t->partial_receive.sock;
	receives = bpf_map_lookup_elem(&partial_receives, &t->scratch);
	if (!receives)
		return is_partial ? RECEIVE_AMBIGUOUS : late;
	done = FETCH_ADD(&receives->done, 1);
	if (receives->under_way > is_partial ||
	    (is_partial && t->partial_receive.done_before != done))
		return RECEIVE_AMBIGUOUS;
	return is_partial ? 0 : late;
}
