/* SPDX-License-Identifier: GPL-2.0 */
/* Counts the messages or bytes that wait in the queue of a unix socket. */
#pragma once

#include "attach/baseline.bpf.h"
#include "base/socket.bpf.h"
#include "kernel/compat.bpf.h"

/* Counts a part of the queue. 1: the end is reached, 0: there is more, -1: the queue broke off. */
VERIFIED_ONCE int unix_count_on(struct queue_sample *sample)
{
	u64 skb;

	if (!sample)
		return -1;
	skb = sample->next;
	for (int i = 0; i < QUEUE_SAMPLE_PART && skb && skb != sample->end; i++) {
		sample->found += is_same((u64)BPF_CORE_READ((struct sk_buff *)skb, sk), sample->of);
		skb = (u64)BPF_CORE_READ((struct sk_buff *)skb, prev);
	}
	sample->next = skb;
	return !skb ? -1 : skb == sample->end;
}

/* Number of messages of `sender` in the queue of `receiver` (addresses of sockets). */
static __always_inline s64 unix_count(struct queue_sample *sample, u64 sender,
				      struct sock *receiver)
{
	u64 first = (u64)BPF_CORE_READ(receiver, sk_receive_queue.next);
	int at_end = 0;

	sample->of = sender;
	sample->found = 0;
	sample->end = (u64)&receiver->sk_receive_queue;
	sample->next = (u64)BPF_CORE_READ(receiver, sk_receive_queue.prev);
	for (int i = 0; i < QUEUE_SAMPLE_PARTS && !at_end; i++)
		at_end = unix_count_on(sample);
	/* A buffer received meanwhile may be queued again, behind what is counted. */
	if (at_end <= 0 || first != (u64)BPF_CORE_READ(receiver, sk_receive_queue.next))
		return WAITING_UNKNOWN;
	return sample->found;
}

/*
 * What `sender` has in `receiver`, messages or bytes. Both are addresses of sockets; 0: not known.
 * A partly received message may count as a whole, see below.
 */
VERIFIED_ONCE s64 unix_waiting(struct task_state *t, u64 sender, u64 receiver, u32 type)
{
	struct unix_sock *stream = (struct unix_sock *)receiver;
	struct sock *queue = (struct sock *)receiver;

	if (!t || !receiver)
		return WAITING_UNKNOWN;
	if (!BPF_CORE_READ(queue, sk_receive_queue.qlen))
		return 0;
	if (type != SOCK_STREAM)
		return unix_count(&t->sample, sender, queue);
	return bpf_core_field_exists(stream->inq_len) ? BPF_CORE_READ(stream, inq_len)
						      : WAITING_UNKNOWN;
}

/*
 * Whether another thread holds the receiving end of a socket (address): it may have removed a
 * message from the queue. The lock is released when that message is copied.
 */
static __always_inline bool unix_is_being_received(u64 receiver)
{
	u64 owner = mutex_owner(&((struct unix_sock *)receiver)->iolock);

	return owner && owner != (u64)current_task();
}

/* How much of the first message in a stream (address) is received. */
static __always_inline u32 unix_consumed(u64 stream)
{
	struct sock *sk = (struct sock *)stream;
	struct sk_buff *first = BPF_CORE_READ(sk, sk_receive_queue.next);
	struct unix_skb_parms *parms = (struct unix_skb_parms *)&first->cb;

	return BPF_CORE_READ(sk, sk_receive_queue.qlen) ? BPF_CORE_READ(parms, consumed) : 0;
}

/*
 * The lower bound of the same. Kernels differ in whether inq_len includes the received part of a
 * message that is still there. That part is read first, so that a receive in between lowers the
 * result and does not raise it.
 */
static __always_inline s64 unix_waiting_least(struct task_state *t, struct sock *sk, u16 type)
{
	s64 consumed = type == SOCK_STREAM && t->sending.queued_sock
			       ? unix_consumed(t->sending.queued_sock)
			       : 0;
	s64 waiting = unix_waiting(t, address_of(t, sk), t->sending.queued_sock, type);

	if (waiting == WAITING_UNKNOWN)
		return WAITING_UNKNOWN;
	return waiting > consumed ? waiting - consumed : 0;
}
