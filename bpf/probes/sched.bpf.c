/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records when traced threads sleep, become runnable and run. Also records which tasks run on a
 * CPU while a traced thread waits for this CPU.
 *
 * A sleep ends at sched_wakeup, because the thread is on a run queue then. sched_waking comes
 * earlier, and only shows the reason for the wakeup.
 */
#include "attach/peer.bpf.h"
#include "base/deep_switch.bpf.h"
#include "base/faults.bpf.h"
#include "base/emit.bpf.h"
#include "base/futile.bpf.h"
#include "base/no_syscalls.bpf.h"
#include "base/state_changes.bpf.h"
#include "base/timers.bpf.h"
#include "kernel/compat.bpf.h"
#include "transport/file_dispatch.bpf.h"
#include "transport/futex.bpf.h"
#include "transport/sibling_wakeups.bpf.h"
#include "transport/pipe.bpf.h"
#include "transport/receive_calls.bpf.h"

/* A wait begins or ends. The counter only decides what is emitted, never a figure. */
static __always_inline void wait_counts(struct task_state *t, u32 cpu)
{
	struct cpu_state *c = cpu_state(cpu);

	t->sched.wait_cpu = cpu;
	if (c)
		__sync_fetch_and_add(&c->waits, WAIT_BEGINS);
}

static __always_inline void wait_begins(struct task_state *t, u32 cpu, u64 now_ns)
{
	t->sched.place = PLACE_RUNNABLE;
	t->sched.runnable_ns = now_ns;
	wait_counts(t, cpu);
}

static __always_inline void wait_ends(u32 cpu)
{
	struct cpu_state *c = cpu_state(cpu);

	if (c)
		__sync_fetch_and_add(&c->waits, WAIT_ENDS);
}

/* The thread has come onto the CPU. Its number is read now: it may run until it has none. */
static __always_inline void note_current(struct cpu_state *c, struct task_struct *task)
{
	c->current = task_key(task) + 1;
	if (in_pid_ns)
		c->current_tid = task_tid(task);
}

/* The number of a thread that has run there until now. */
static __always_inline u32 leaving_tid(const struct cpu_state *c, struct task_struct *task)
{
	u32 key = task_key(task);

	if (!in_pid_ns)
		return key;
	return c->current == key + 1 ? c->current_tid : translated(task);
}

/*
 * The thread with these numbers ran on `cpu` until now, unless the last switch seen there was to
 * another thread: then a switch was not seen (the kernel can skip a program).
 */
static __always_inline void fill_task_slice(struct record_slice *slice, struct cpu_state *c,
					    u32 cpu, u32 key, u32 tid, u64 now_ns)
{
	slice->head = record_head(RECORD_SLICE, sizeof(*slice), cpu, tid);
	slice->kind = c->current && c->current == key + 1 ? SLICE_TASK : SLICE_UNSEEN;
	slice->seq = FETCH_ADD(&c->slice_seq, 1);
	slice->start_ns = 0;
	slice->end_ns = now_ns;
}

/* Not staged: the stage of another CPU, or of this one in an interrupt, must not be written. */
static __noinline void emit_task_slice(struct cpu_state *c, u32 cpu, u32 key, u32 tid, u64 now_ns)
{
	struct record_slice slice;

	fill_task_slice(&slice, c, cpu, key, tid, now_ns);
	emit(&slice, sizeof(slice));
}

/* Attach: whether the thread sleeps in a call that writes, for the first time. */
static __always_inline bool begins_to_sleep_sending(const struct task_state *t,
						    struct task_struct *task)
{
	return !t->partial_send.channel &&
	       call_outputs(t->syscall.is_mid_call ? call_of(task) : t->syscall.number);
}

/* The same for a call that may receive parts of a stream, if tracing began in the middle of it. */
static __always_inline bool begins_to_sleep_receiving(const struct task_state *t,
						      struct task_struct *task)
{
	return t->syscall.is_mid_call && !t->partial_receive.sock &&
	       call_waits_for_all(task_regs(task), call_of(task));
}

/* After log_sleep(). */
static __always_inline void note_sleep(struct task_state *t, struct task_struct *task, u32 state)
{
	t->sched.place = PLACE_ASLEEP;
	if (attach && t->udp.sock && !t->udp.has_slept)
		t->udp.has_slept = datagram_awaits(t->udp.sock, task);
	/*
	 * A thread that is being woken may have what it waits for. One that sleeps in the middle of
	 * a send outside of any known call, as io_uring threads do, has sent a part already.
	 */
	if (state & TASK_INTERRUPTIBLE && !t->sched.is_being_woken &&
	    !(t->syscall.is_mid_call && t->sending.queued_ns))
		t->sched.resumed_ns = 0;
	/* A part has woken the threads so far: this one waits for room for the rest. */
	if (waking_shows_data && state & TASK_INTERRUPTIBLE)
		t->sending.woke_ns = t->sending.woke_watcher_ns = 0;
}

/* The thread gets the CPU. */
static __always_inline void gets_cpu(struct cpu_state *c, struct task_state *t,
				     struct task_struct *task, u32 cpu, u64 now_ns)
{
	if (t->sched.place == PLACE_RUNNABLE)
		wait_ends(t->sched.wait_cpu);
	if (deep && t->sched.place == PLACE_RUNNABLE &&
	    now_ns - t->sched.runnable_ns >= SPARE_WAIT_NS)
		find_spare(c, task_tid(task), address_as_number(READ(task, cpus_ptr)),
			   t->sched.runnable_ns, now_ns);
	if (deep)
		note_disk_over(t, task, now_ns);
	t->sched.is_being_woken = 0; /* its wakeup may not have been seen */
	if (!t->sched.resumed_ns)
		t->sched.resumed_ns = now_ns;
	if (no_syscalls && t->sched.place == PLACE_ASLEEP)
		no_syscalls_awake(t, now_ns);
	log_change(t, task, CHANGE_SWITCH, cpu, now_ns);
	t->sched.place = PLACE_ON_CPU;
	if (from_workload && !has_sched_exit)
		stage_changes(c, t, cpu, state_tid(t, task), now_ns);
}

/* A thread waits for the CPU on which `task` ran until now. `t`: NULL if it is not traced. */
static __always_inline void stage_leaving_task(struct cpu_state *c, struct task_state *t,
					       struct task_struct *task, u32 cpu, u64 now_ns)
{
	struct record_slice *slice;

	/* A peer may change its name. */
	if (t && !t->is_peer)
		announce_traced(t, task, now_ns);
	else if (task_key(task))
		announce_task(task, leaving_tid(c, task), now_ns);
	slice = stage(c, sizeof(*slice), sizeof(*slice), now_ns);
	fill_task_slice(slice, c, cpu, task_key(task), leaving_tid(c, task), now_ns);
	if (deep)
		slice->head.flags = reserve_flags(cpu, task);
}

/* The thread leaves its CPU. `state` 0: it is still runnable, and preempted. */
static __always_inline void leaves_cpu(struct task_state *t, struct task_struct *task, u32 state,
				       u32 cpu, u64 now_ns)
{
	bool held;

	if (deep)
		t->left_ns = now_ns;
	if (!state) {
		log_change(t, task, is_throttled(task) ? CHANGE_THROTTLE : CHANGE_PREEMPT, cpu,
			   now_ns);
		wait_begins(t, cpu, now_ns);
		return;
	}
	held = is_held(task, state);
	if (no_syscalls)
		no_syscalls_sleep(t, task, held, now_ns);
	if (attach && begins_to_sleep_sending(t, task))
		sender_sleeps(t, task);
	else if (attach && begins_to_sleep_receiving(t, task))
		stream_receive_begin(t, task);
	log_sleep(t, task, held, state, cpu, now_ns);
	note_sleep(t, task, state);
}

/*
 * Fires on prev's CPU under its run queue lock. A prev that is still runnable has prev_state 0, or
 * was preempted before it could go to sleep (preempt).
 */
static __always_inline void switches(bool preempt, struct task_struct *prev,
				     struct task_struct *next, u32 prev_state)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct task_state *from = task_state(prev), *to = task_state(next);
	struct cpu_state *c = cpu_state(cpu);
	bool concerned;
	u64 now;

	if (!c)
		return;
	/* Not one expression: the compiler would make it a forbidden `or` of pointers. */
	concerned = waiters(c) || c->staged_bytes;
	if (from)
		concerned = true;
	barrier_var(concerned);
	if (to)
		concerned = true;
	barrier_var(concerned);
	if (!concerned) {
		if (deep)
			deep_switch_of_others(prev, next);
		goto out;
	}
	now = bpf_ktime_get_ns();
	if (waiters(c))
		stage_leaving_task(c, from, prev, cpu, now);
	if (deep)
		deep_switch(c, prev, next, to ? 1 : 0, now);
	if (from)
		leaves_cpu(from, prev, preempt ? 0 : prev_state, cpu, now);
	if (to)
		gets_cpu(c, to, next, cpu, now);
	else if (c->staged_bytes && (!waiters(c) || now - c->staged_ns > STAGE_AGE_NS))
		flush_stage(c);
out:
	c->softirq_ns = 0; /* PREEMPT_RT preempts softirqs: such a slice would cover others */
	note_current(c, next);
}

/* Arguments from Linux 5.18 on ("sched/tracing: Append prev_state to tp args instead"). */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	switches(preempt, prev, next, prev_state);
	return 0;
}

/* Arguments in between ("Don't re-read p->state when emitting sched_switch event"). */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch_state_second, bool preempt, unsigned int prev_state,
	     struct task_struct *prev, struct task_struct *next)
{
	switches(preempt, prev, next, prev_state);
	return 0;
}

/*
 * Arguments before that. A sleeping thread that has not left its CPU may be about to be woken: then
 * its state says so and nothing else.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch_without_state, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	long state = sleep_of(prev);

	switches(preempt, prev, next, state ? state | TASK_INTERRUPTIBLE : 0);
	return 0;
}

/*
 * Fires in the resumed thread at the end of schedule(), with interrupts on again. From Linux 6.16.
 * It also shows switches that were not seen.
 */
SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_sched_exit, bool is_switch)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct task_struct *task;
	struct task_state *t;
	u64 now;
	u32 key;

	task = current_task();
	t = task_state(task);
	if (attach && t && t->udp.sock && t->udp.has_slept)
		datagram_sample(t); /* it has slept in the call for lack of data */
	if (!is_switch || !c)
		return 0;
	key = task_key(task);
	if (!t && c->current == key + 1)
		return 0;
	now = bpf_ktime_get_ns();
	/* No sched_switch event has shown that it is on the CPU: the thread before it has left. */
	if (c->current != key + 1) {
		if (waiters(c))
			emit_task_slice(c, cpu, key, task_tid(task), now);
		note_current(c, task);
	}
	if (!t)
		return 0;
	if (t->sched.place == PLACE_ON_CPU) {
		log_change(t, task, CHANGE_RUN, cpu, now);
	} else {
		if (t->sched.place == PLACE_RUNNABLE)
			wait_ends(t->sched.wait_cpu);
		else if (no_syscalls)
			no_syscalls_awake(t, now);
		t->sched.place = PLACE_ON_CPU;
		log_change(t, task, CHANGE_RESUME, cpu, now);
	}
	if (from_workload)
		stage_changes(c, t, cpu, state_tid(t, task), now);
	return 0;
}

/*
 * Whether the waker is in a call that is not followed. An earlier softirq in its context may have
 * made it look like a sender.
 */
static __always_inline bool is_in_other_call(void)
{
	struct task_struct *task = current_task();
	const struct pt_regs *regs = task_regs(task);

	return !no_syscalls && !is_io_thread(task) && is_in_call(regs) &&
	       !(call_class(call_number(regs), regs) & CALLS_FOLLOWED);
}

/*
 * The sleeper went to sleep between the queueing of the data and the waking: its sleep becomes
 * WOKEN. No other thread can wake it or write to it meanwhile. A timer may wake it in the context
 * of a thread that has sent nothing.
 */
static __always_inline void waking_meets_sleeper(struct task_state *sleeper,
						 const struct task_state *waker)
{
	u64 *change = &sleeper->changes.packed[(sleeper->changes.cnt - 1) & (CHANGES_MAX - 1)];
	u64 queued = waker->sending.queued_ns & CHANGE_TIME_MASK;

	if (sleeper->sched.place == PLACE_ASLEEP && sleeper->changes.cnt &&
	    waker->sending.queued_ns && waker->sending.queued_ns >= waker->syscall.enter_ns &&
	    (*change & CHANGE_TIME_MASK) >= queued && !is_in_other_call())
		*change = (*change & ~CHANGE_KIND_MASK) | change_pack(0, 0, CHANGE_WOKEN);
}

/*
 * A thread that sleeps in poll, select or epoll may watch what is sent now. An interrupt at this
 * moment wakes others, and some threads wait in a receive call.
 */
static __always_inline void note_watcher(struct task_state *waker, struct task_struct *task)
{
	if (!sleeps_in_poll(task))
		return;
	if (waker->sending.unwatched != UNWATCHED_SURELY)
		waker->sending.unwatched = 0;
	if (waking_shows_data)
		waker->sending.woke_watcher_ns = bpf_ktime_get_ns();
}

/* In the waker's context. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_sched_waking, struct task_struct *task)
{
	struct task_state *woken = task_state(task), *waker;

	if (!woken && !attach)
		return 0;
	waker = current_state();
	if (attach && waker)
		note_watcher(waker, task);
	if (!woken) {
		woken = woken_peer(waker, task);
		if (!woken)
			return 0;
		receive_waits(woken, task);
		if (trace_pipes)
			pipe_waits(woken, task);
	}
	woken->sched.is_being_woken = 1;
	if (!waker && attach) {
		waker = waking_peer(woken, task);
		if (waker)
			note_watcher(waker, task);
	}
	if (waker)
		waking_meets_sleeper(woken, waker);
	/*
	 * A thread that sleeps and watches several channels may have been woken already by another
	 * channel than the one sent to now. No other thread writes there until it runs.
	 */
	if (attach && woken->syscall.polls && woken->sched.place == PLACE_ASLEEP)
		log_change(woken, task, CHANGE_WOKEN, CALL_OUTSIDE, bpf_ktime_get_ns());
	if (!waker)
		return 0;
	/* For other transports a socket event shows when the data became visible. */
	if (waking_shows_data &&
	    (!waker->syscall.enter_ns || waker->sending.queued_ns < waker->syscall.enter_ns))
		waker->sending.woke_ns = bpf_ktime_get_ns();
	if (!attach || no_syscalls)
		return 0;
	if (process_key(task) == current_process_key())
		wakes_sibling(waker, woken, task);
	else if (call_is_futex(waker->syscall.number) && futex_wakes(task))
		futex_sent(waker, woken, process_key(task), task);
	return 0;
}

/* What wakers.bpf.c has noted. Not staged: the stage of this CPU may be in use. */
static __always_inline void emit_waker(struct task_state *t, struct task_struct *task, u64 wake_ns)
{
	struct record_waker record = {};

	if (!t->waking.at_ns)
		return;
	record.head = record_head(RECORD_WAKER, sizeof(record), t->waking.cpu, t->waking.tid);
	record.head.flags = t->waking.flags | t->waking.shown;
	record.woken = state_tid(t, task);
	record.number = t->waking.number;
	record.at_ns = t->waking.at_ns;
	record.wake_ns = wake_ns;
	t->waking.at_ns = 0;
	emit(&record, sizeof(record));
}

static __always_inline int wakes(struct task_struct *task)
{
	struct task_state *t = task_state(task);
	u64 now;
	u32 cpu;

	if (!t)
		return 0;
	t->sched.is_being_woken = 0;
	if (t->sched.place != PLACE_ASLEEP)
		return 0;
	cpu = task_cpu(task);
	now = bpf_ktime_get_ns();
	if (no_syscalls)
		no_syscalls_awake(t, now);
	/* No switch follows: it has left its CPU already. */
	log_change(t, task, is_throttled(task) ? CHANGE_THROTTLE : CHANGE_WAKE, cpu, now);
	wait_begins(t, cpu, now);
	if (deep) {
		note_woken(t, task, now);
		emit_waker(t, task, now);
		emit_timeout(t, task, state_tid(t, task), now);
	}
	return 0;
}

/*
 * Fires under the run queue lock of the thread's CPU once the thread is on that run queue. It also
 * fires for a thread that has not left its CPU yet: that one goes on running, which is no change.
 */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_sched_wakeup, struct task_struct *task)
{
	return wakes(task);
}

/* In the context of the thread that has made this one. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_sched_wakeup_new, struct task_struct *task)
{
	struct task_state *woken = task_state(task), *waker;

	if (attach && !no_syscalls && woken && process_key(task) == current_process_key()) {
		waker = current_state();
		if (waker)
			stage_wakeup(waker, state_tid(woken, task), RECORD_WAKEUP, 0, 0);
	}
	return wakes(task);
}

/*
 * Fires for a runnable thread under the run queue lock of the CPU that it leaves, not of the one it
 * goes to. So the wait there begins before the time is read: every later switch there is recorded.
 */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_sched_migrate, struct task_struct *task, int to_cpu)
{
	struct task_state *t = task_state(task);
	struct cpu_state *c;
	u32 from_cpu;
	u64 now;

	if (!t || t->sched.place != PLACE_RUNNABLE)
		return 0;
	from_cpu = t->sched.wait_cpu;
	wait_counts(t, to_cpu);
	now = bpf_ktime_get_ns();
	c = cpu_state(from_cpu);
	if (c)
		emit_task_slice(c, from_cpu, c->current - 1,
				in_pid_ns ? c->current_tid : c->current - 1, now);
	wait_ends(from_cpu);
	log_change(t, task, CHANGE_MIGRATE, to_cpu, now);
	return 0;
}

/* Attach: exec changes a thread's name, and its number if it was not the first of its process. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_sched_exec, struct task_struct *task)
{
	struct task_state *t = task_state(task);

	if (t) {
		t->is_named = 0;
		t->tid = 0;
	}
	return 0;
}

/* A thread is about to get another name, from itself or from another thread. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_task_rename, struct task_struct *task, const char *comm)
{
	struct task_state *t = task_state(task);

	if (t && t->is_named)
		announce_as(task, state_tid(t, task), comm, bpf_ktime_get_ns());
	return 0;
}

/*
 * In the parent, before the child first runs: children of traced threads are traced. A child is
 * asleep until it is woken for the first time. sched_process_fork does not fire for io_uring
 * threads, this event does.
 */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_task_new, struct task_struct *child)
{
	struct task_state *from = current_state(), *to;
	u64 now;

	if (!from)
		return 0;
	to = task_state_make(child);
	if (!to)
		return 0;
	to->is_peer = from->is_peer;
	to->syscall.number = CALL_OUTSIDE;
	to->syscall.polls = to->syscall.is_mid_call = is_io_thread(child);
	to->sched.place = PLACE_ASLEEP;
	now = bpf_ktime_get_ns();
	if (no_syscalls)
		to->syscall.enter_ns = now;
	log_change(to, child, CHANGE_SLEEP, task_cpu(child), now);
	return 0;
}

/* Where the state is kept by key and not with the thread, the key may be used again. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_sched_free, struct task_struct *task)
{
	task_state_drop(task);
	return 0;
}
