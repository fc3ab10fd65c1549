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
	if (word == waker->futex.word)
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

/*
 * Where a thread sleeps in a futex call. A condition variable of glibc has two words, next to each
 * other, which count as one place. So do places that are 32 GiB apart.
 */
static __always_inline u32 futex_place(struct task_struct *sleeper)
{
	return call_argument(task_regs(sleeper), 0) >> 3;
}

/*
 * Emits that the current thread wakes another one of its process, and what the current thread did
 * until then. An interrupt in the middle of a futex call or of epoll_ctl() interrupts no program
 * that writes to the stage. `flags`: enum wakeup_flag.
 */
OUT_OF_LINE void stage_wakeup(struct task_state *waker, u32 woken, u32 type, u32 flags, u32 place)
{
	u32 cpu = bpf_get_smp_processor_id(), tid = state_tid(waker, current_task());
	struct cpu_state *c = cpu_state(cpu);
	u64 now = bpf_ktime_get_ns();
	struct record_wakeup *record;

	if (!c || !armed_ns)
		return;
	stage_changes(c, waker, cpu, tid, now);
	record = stage(c, sizeof(*record), sizeof(*record), now);
	record->head = record_head(type, sizeof(*record), cpu, tid);
	record->head.flags = flags;
	record->woken = woken;
	record->place = place;
	record->at_ns = now;
}

/*
 * The same for a write to an eventfd or a pipe that the other thread watches, and perhaps never
 * reads (EPOLLET). The SEND that follows brings what the current thread did until then. Not staged:
 * an interrupt that wakes the other one may be in the way of a program that stages.
 */
OUT_OF_LINE void emit_wakeup(struct task_state *waker, u32 woken)
{
	struct record_wakeup record = {};

	if (!armed_ns)
		return;
	record.head = record_head(RECORD_WAKEUP, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(waker, current_task()));
	record.head.flags = WAKEUP_BY_WRITE;
	record.woken = woken;
	record.at_ns = bpf_ktime_get_ns();
	emit(&record, sizeof(record));
}

/* Whether the current thread, in a futex call, may wake this thread of its process. */
static __always_inline bool futex_wakes_sibling(const struct pt_regs *regs,
						struct task_struct *woken)
{
	return call_is_futex(call_number(regs)) && call_wakes_futex(regs) &&
	       call_is_futex(call_of(woken));
}

/* The current thread may hand over work to another one of its process. */
static __always_inline void wakes_sibling(struct task_state *waker, struct task_state *woken,
					  struct task_struct *task)
{
	const struct pt_regs *regs = task_regs(current_task());
	long number = call_number(regs);

	if (!is_in_call(regs))
		return;
	if (futex_wakes_sibling(regs, task))
		stage_wakeup(waker, state_tid(woken, task), RECORD_FUTEX_WAKEUP, 0,
			     futex_place(task));
	/* The woken thread sleeps in a call that watches many channels. */
	else if (woken->syscall.polls && call_writes(number))
		emit_wakeup(waker, state_tid(woken, task));
	/*
	 * Boost.Asio rearms an eventfd that is always readable. A descriptor that is added is a
	 * new connection, which wakes the thread without being work for it.
	 */
	else if (woken->syscall.polls && number == __NR_epoll_ctl &&
		 call_argument(regs, 1) == EPOLL_CTL_MOD)
		stage_wakeup(waker, state_tid(woken, task), RECORD_WAKEUP, WAKEUP_BY_WRITE, 0);
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
