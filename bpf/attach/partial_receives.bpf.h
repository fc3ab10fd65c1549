/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach: who receives from a stream until he has all (MSG_WAITALL), or so much (SO_RCVLOWAT), may
 * take a part, sleep, and take the rest, while others take what is in between:
 *
 *	thread 1   |---- receive: a part ... asleep ... the rest ----| counted
 *	thread 2                          |- receive -| counted
 *
 * As long as he is at it none is certain. This is known by the socket: of a channel nothing may be
 * known before the first receive is over.
 */
#ifndef IPCTRACE_BPF_ATTACH_PARTIAL_RECEIVES_H
#define IPCTRACE_BPF_ATTACH_PARTIAL_RECEIVES_H

#include "base/state.bpf.h"
#include "base/syscalls.bpf.h"

static __always_inline void takes_begin(struct task_state *t, u64 sock)
{
	const struct takes none = {};
	struct takes *takes;

	t->take_sock = sock;
	takes = bpf_map_lookup_elem(&takes_of, &t->take_sock);
	if (!takes) {
		bpf_map_update_elem(&takes_of, &t->take_sock, &none, BPF_NOEXIST);
		takes = bpf_map_lookup_elem(&takes_of, &t->take_sock);
	}
	if (!takes) {
		t->take_sock = 0;
		return;
	}
	t->take_done = *(volatile u32 *)&takes->done;
	__sync_fetch_and_add(&takes->under_way, 1);
	__sync_fetch_and_add(&takes_under_way, 1);
}

/* The call is over. */
OUT_OF_LINE void takes_end(struct task_state *t)
{
	struct takes *takes = bpf_map_lookup_elem(&takes_of, &t->take_sock);

	if (takes)
		__sync_fetch_and_add(&takes->under_way, -1);
	__sync_fetch_and_add(&takes_under_way, -1);
	t->take_sock = 0;
}

/*
 * The thread's present call receives: it may be one that takes parts. Of a thread that was in it
 * already when we came, what it had taken by then is not known.
 */
OUT_OF_LINE void stream_takes_begin(struct task_state *t, struct task_struct *task)
{
	struct open_socket open = socket_of(file_of_task(task, call_argument(task_regs(task), 0)));

	t->takes_parts = open.address && open.type == SOCK_STREAM;
	if (t->takes_parts)
		takes_begin(t, open.address);
}

/* The flags of a receive from this socket, once it is counted. */
static __always_inline u32 takes_doubt(struct task_state *t, const struct sock *sk)
{
	u32 late = t->takes_parts ? RECEIVE_LATE : 0;
	struct takes *takes;
	bool is_at_it;
	u32 done;

	if (!*(volatile u32 *)&takes_under_way)
		return late;
	is_at_it = address_of(t, sk) == t->take_sock;
	takes = bpf_map_lookup_elem(&takes_of, &t->address);
	if (!takes)
		return is_at_it ? RECEIVE_AMBIGUOUS : late;
	done = FETCH_ADD(&takes->done, 1);
	if (takes->under_way > is_at_it || (is_at_it && t->take_done != done))
		return RECEIVE_AMBIGUOUS;
	return is_at_it ? 0 : late;
}

#endif
