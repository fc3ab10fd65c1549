/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces futexes that two running processes share (attach mode). A channel is a pair of threads,
 * one in each process. One thread sends by waking the other thread, which sleeps in a futex call.
 * The return of the futex call is the receive:
 *
 *	sender:   sys_enter → sched_waking(receiver) → sys_exit
 *	receiver: sys_enter ... asleep ... → sys_exit
 */
#pragma once

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/peer.bpf.h"

/* Keeps the keys of thread pairs apart from all other keys. */
#define FUTEX_KEY (1ULL << 33)

/* A function of its own, because the verifier adds up the stacks of all callers. */
OUT_OF_LINE void futex_emit_address(u32 channel)
{
	struct record_address record = {};

	address_begin(&record, channel, 0);
	record.length = sizeof("futex") - 1;
	__builtin_memcpy(record.text, "futex", sizeof("futex"));
	emit(&record, sizeof(record));
}

OUT_OF_LINE struct channel_state *futex_channel(u32 waker, u32 woken)
{
	struct channel_key key = {.sender = FUTEX_KEY | waker, .receiver = FUTEX_KEY | woken};
	struct channel_state *known = channel_known(&key);

	if (known)
		return known;
	channel_make(&key, TRANSPORT_FUTEX, 0, key.sender, key.receiver);
	known = channel_made(&key);
	if (known && !known->baseline.is_known) {
		futex_emit_address(known->id);
		baseline_of_new(known);
	}
	return known;
}

#define LOCK_HAS_WAITERS 2

/*
 * Whether the thread that sleeps in a futex call waits for a lock that another process lets go of.
 * Locks have three values: 0 free, 1 taken, 2 taken and others wait (glibc, Go, Rust). A thread
 * that waits expects the last one, and other uses of a futex do not make the value smaller. Not
 * inlined, as only level deep needs it.
 */
OUT_OF_LINE bool futex_waits_for_lock(const struct pt_regs *waiter, u64 word)
{
	long op = call_argument(waiter, 1) & FUTEX_CMD_MASK;
	u32 value = LOCK_HAS_WAITERS + 1;

	if (call_number(waiter) != __NR_futex)
		return false;
	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2)
		return true;
	if ((op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET) ||
	    (u32)call_argument(waiter, 2) != LOCK_HAS_WAITERS)
		return false;
	return !bpf_probe_read_user(&value, sizeof(value), (void *)word) &&
	       value <= LOCK_HAS_WAITERS;
}

/*
 * In the waker's context, maybe in an interrupt, which must not write to the stage. The calls of
 * both match, see futex_wakes(). A thread with a wakeup on its way has not returned from that one:
 * it returns from no second one.
 */
OUT_OF_LINE void futex_sent(struct task_state *waker, struct task_state *woken, u32 process,
			    struct task_struct *task)
{
	struct channel_state *channel;
	struct record_send send = {};
	u64 word = call_argument(task_regs(current_task()), 0);

	/* Within a process it is mostly a lock that changes hands, not a message. */
	if (process == current_process_key() || !armed_ns || !is_counted(waker) ||
	    woken->futex.channel)
		return;
	channel = futex_channel(current_key(), task_key(task));
	if (!channel)
		return;
	announce_current(waker, waker->syscall.enter_ns);
	send.head = record_head(RECORD_SEND, sizeof(send), bpf_get_smp_processor_id(), waker->tid);
	if (word == waker->futex.word || (deep && futex_waits_for_lock(task_regs(task), word)))
		send.head.flags = SEND_BY_LOCK;
	send.channel = channel->id;
	send.position = FETCH_ADD(&channel->sent, 1);
	send.send_ns = waker->syscall.enter_ns;
	send.queued_ns = bpf_ktime_get_ns();
	emit(&send, sizeof(send));
	woken->futex.word = call_argument(task_regs(task), 0);
	woken->futex.position = send.position;
	woken->futex.channel = channel->id + 1;
}

/* A futex call of a traced thread returns. */
static __always_inline void futex_exit(struct task_state *t, long ret)
{
	if (!t->futex.channel)
		return;
	/* Otherwise the timeout has expired, or a signal came, maybe at the moment of a wakeup. */
	if (ret >= 0)
		message_received(t, t->futex.channel - 1, t->futex.position, 0, 0);
	t->futex.channel = 0;
}
