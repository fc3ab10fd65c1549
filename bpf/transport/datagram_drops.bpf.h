/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds out why the kernel drops a datagram, and how large the buffer is that was full. The numbers
 * of the kernel's reasons change from version to version, their names do not.
 *
 * From Linux 6.11 on, kfree_skb shows the reason and the socket. From 5.17 on it shows the reason.
 * Before, and for the socket, udp_fail_queue_rcv_skb helps, which comes right before it:
 *
 *	the queue of the socket has no room
 *	  | udp_fail_queue_rcv_skb(error, socket)  | kfree_skb(packet)
 *	--|----------------------------------------|----> time, on one CPU
 */
#pragma once

#include "base/emit.bpf.h"
#include "base/socket.bpf.h"
#include "kernel/cast.bpf.h"
#include "record_drop.h"

/* Set by the loader: how many arguments kfree_skb has. */
const volatile u32 drop_arguments = 0;
#define DROP_SHOWS_REASON 3
#define DROP_SHOWS_SOCKET 4

/* A CPU's last udp_fail_queue_rcv_skb; `bytes` 0: a packet was dropped since. */
struct failed_queue {
	s32 error;
	u32 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct failed_queue);
} failed_queues SEC(".maps");

static __always_inline struct failed_queue *failed_queue(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&failed_queues, &zero);
}

static __always_inline u32 receive_buffer_of(u64 sock)
{
	return BPF_CORE_READ((struct sock *)sock, sk_rcvbuf);
}

#define IS_REASON(number, name)                                                                    \
	(bpf_core_enum_value_exists(enum skb_drop_reason, SKB_DROP_REASON_##name) &&               \
	 (number) == bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_##name))

/* What the kernel's number means. */
static __always_inline u32 drop_reason_of(u32 number)
{
	if (IS_REASON(number, SOCKET_RCVBUFF))
		return DROP_BUFFER_FULL;
	if (IS_REASON(number, PROTO_MEM))
		return DROP_MEMORY;
	if (IS_REASON(number, NO_SOCKET))
		return DROP_NO_SOCKET;
	if (IS_REASON(number, SOCKET_FILTER))
		return DROP_FILTER;
	if (IS_REASON(number, UDP_CSUM) || IS_REASON(number, SKB_CSUM))
		return DROP_CHECKSUM;
	if (IS_REASON(number, CPU_BACKLOG))
		return DROP_BACKLOG;
	if (IS_REASON(number, NETFILTER_DROP))
		return DROP_RULE;
	if (IS_REASON(number, QDISC_DROP))
		return DROP_QUEUE;
	return IS_REASON(number, NOT_SPECIFIED) ? DROP_UNKNOWN : DROP_OTHER;
}

#define ERROR_NO_MEMORY 12 /* ENOMEM: the buffer of the socket is full; ENOBUFS: all of them */

/* What udp_fail_queue_rcv_skb has shown before on this CPU, if anything. */
static __always_inline void drop_by_queue(struct record_drop *drop)
{
	struct failed_queue *failed = failed_queue();

	if (!failed || !failed->bytes)
		return;
	if (drop->reason == DROP_UNKNOWN)
		drop->reason = failed->error == -ERROR_NO_MEMORY ? DROP_BUFFER_FULL : DROP_MEMORY;
	drop->buffer_bytes = failed->bytes;
}

/* `event`: the arguments of kfree_skb. */
static __always_inline void drop_explain(const u64 *event, struct record_drop *drop)
{
	if (drop_arguments >= DROP_SHOWS_REASON)
		drop->reason = drop_reason_of(event[2]);
	if (drop_arguments < DROP_SHOWS_SOCKET)
		drop_by_queue(drop);
	else if (event[3])
		drop->buffer_bytes = receive_buffer_of(event[3]);
	if (drop->reason != DROP_BUFFER_FULL)
		drop->buffer_bytes = 0;
}
