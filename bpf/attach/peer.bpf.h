/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the peers of targets. A target is a thread that the user asked to trace. A peer is a
 * thread that sends to a target, receives a target's message, or is woken by such a message. This
 * file finds peers that appear during tracing. survey.bpf.c finds peers that exist before tracing
 * begins.
 */
#pragma once

#include "attach/partial_receives.bpf.h"
#include "base/channel.bpf.h"
#include "base/no_syscalls.bpf.h"
#include "base/socket.bpf.h"
#include "base/socket_id.bpf.h"
#include "base/state_changes.bpf.h"
#include "base/syscalls.bpf.h"
#include "kernel/compat.bpf.h"

static __always_inline bool is_end(u64 end)
{
	return end && bpf_map_lookup_elem(&ends, &end);
}

static __always_inline void note_end(u64 end)
{
	u8 yes = 1;

	if (end)
		bpf_map_update_elem(&ends, &end, &yes, BPF_ANY);
}

static __always_inline u32 socket_flags(struct sock *sk)
{
	struct socket_state *state;
	struct socket_id *id;

	if (by_syscalls) {
		id = socket_id_state(address_as_number(sk));
		return id ? id->flags : 0;
	}
	if (!UNTRUSTED(struct sock, sk)->sk_bpf_storage)
		return 0;
	state = bpf_sk_storage_get(&sockets, sk, NULL, 0);
	return state ? state->flags : 0;
}

static __always_inline void socket_mark(struct sock *sk, u32 flags)
{
	struct socket_state *state;
	struct socket_id *id;

	if (by_syscalls) {
		id = socket_id_state(address_as_number(sk));
		if (id)
			id->flags |= flags;
		return;
	}
	state = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (state && (state->flags & flags) != flags)
		state->flags |= flags;
}

/* The current thread, a target, uses the socket. Most servers use few sockets in turns. */
static __always_inline void socket_is_targets(struct task_state *t, struct sock *sk)
{
	u64 cookie = SOCK_READ(sk, __sk_common.skc_cookie.counter);
	u64 *marked = &t->marked[cookie % MARKED_SOCKETS];

	if (cookie && cookie == *marked)
		return;
	socket_mark(sk, SOCKET_TARGET);
	*marked = cookie;
}

/* The number of the system call that a thread is in. */
static __always_inline long call_of(struct task_struct *task)
{
	return call_number(task_regs(task));
}

/* Whether the current thread may be sending. */
static __always_inline bool may_send(struct task_struct *task)
{
	const struct pt_regs *regs = task_regs(task);

	return is_io_thread(task) || call_class(call_number(regs), regs) & CALL_SENDS;
}

/* The thread is traced from now on. NULL: no memory, or it is the tracer's own. */
static __always_inline struct task_state *trace_thread(struct task_struct *task, bool is_peer)
{
	struct task_state *t;

	if (task_pid(task) == self_pid)
		return NULL;
	t = task_state_make(task);
	if (t) {
		t->is_peer = is_peer;
		t->syscall.is_mid_call = 1;
		t->syscall.number = CALL_OUTSIDE; /* as far as is known */
		t->sched.resumed_ns = 1; /* long ago: it does not wait, as far as is known */
		if (no_syscalls && armed_ns)
			t->syscall.enter_ns = READ(task, start_time) < armed_ns
						      ? armed_ns
						      : READ(task, start_time);
	}
	return t;
}

/* A thread that is about to sleep has its new state already, but its switch is still to come. */
static __always_inline bool is_off_cpu(struct task_struct *task)
{
	struct cpu_state *c = cpu_state(task_cpu(task));

	return is_asleep(task) && !(c && c->current == task_key(task) + 1);
}

/*
 * The thread sleeps in a system call. When the sleep began does not matter: all later events find
 * the thread asleep in this call.
 */
static __always_inline void begin_asleep(struct task_state *t, struct task_struct *task)
{
	bool held = is_held(task, sleep_of(task));
	u64 now = bpf_ktime_get_ns();

	if (!is_io_thread(task)) {
		t->syscall.enter_ns = now;
		t->syscall.is_mid_call = 0;
		t->syscall.number = followed_call(task_regs(task));
		if (call_waits_for_all(task_regs(task), t->syscall.number))
			stream_receive_begin(t, task);
	}
	if (no_syscalls)
		no_syscalls_sleep(t, task, held, now);
	t->sched.place = PLACE_ASLEEP;
	t->sched.resumed_ns = 0;
	log_sleep(t, task, held, sleep_of(task), task_cpu(task), now);
}

/*
 * Traces all threads of the current one's process, which has become a peer. Any of them may receive
 * an answer to a question of another (Go), in a call that begins before the answer shows that it
 * concerns a target. A global function: the verifier walks through it once.
 */
#ifdef LEGACY
__noinline int trace_siblings(void)
{
	return 0;
}
#else
__noinline int trace_siblings(void)
{
	/* The iterator goes from the given thread to the last one; the leader is the first. */
	struct task_struct *leader, *task;
	struct bpf_iter_task iter;
	struct task_state *t;

	if (!has_task_iter)
		return 0;
	leader = bpf_task_acquire(current_task()->group_leader);
	if (!leader)
		return 0;
	bpf_iter_task_new(&iter, leader, BPF_TASK_ITER_PROC_THREADS);
	while ((task = bpf_iter_task_next(&iter))) {
		if (task_state(task))
			continue;
		t = trace_thread(task, true);
		if (t && is_off_cpu(task))
			begin_asleep(t, task);
	}
	bpf_iter_task_destroy(&iter);
	bpf_task_release(leader);
	return 0;
}
#endif

/*
 * The current thread became a peer when it was woken: now its siblings follow. From a program that
 * may iterate over tasks.
 */
static __always_inline void siblings_follow(struct task_state *t)
{
	if (!t->has_untraced_siblings)
		return;
	t->has_untraced_siblings = 0;
	__sync_fetch_and_add(&untraced_siblings, -1);
	trace_siblings();
}

/* The current thread, and all of its process. NULL: no memory, or it is the tracer's own. */
static __always_inline struct task_state *trace_current(void)
{
	struct task_state *t = trace_thread(current_task(), true);

	if (t)
		trace_siblings();
	return t;
}

/* The current thread, in a call that sends: the call's begin may still be known. */
static __always_inline struct task_state *trace_sender(void)
{
	struct task_struct *task = current_task();
	struct cpu_state *c = cpu_state(bpf_get_smp_processor_id());
	struct task_state *t = trace_current();

	if (t)
		t->traced_mid_write = 1;
	if (t && c && c->enter_thread == task_key(task)) {
		t->syscall.enter_ns = c->enter_ns;
		t->syscall.is_mid_call = 0;
		t->syscall.number = followed_call(task_regs(task));
	}
	return t;
}

/*
 * Attach: whether the current call is recorded. A call that began before the tracer was armed is
 * not, nor one that begins after its stop. What such a call sends has a position all the same, so
 * that the counts of both ends agree.
 */
static __always_inline bool is_counted(const struct task_state *t)
{
	if (no_syscalls) {
		/* The time of the data stands for the call's begin. */
		if (disarmed_ns && (t->sending.queued_ns ? t->sending.queued_ns
							 : bpf_ktime_get_ns()) >= disarmed_ns)
			return false;
		return armed_ns && t->syscall.enter_ns >= armed_ns;
	}
	if (disarmed_ns && (t->syscall.is_mid_call || t->syscall.enter_ns >= disarmed_ns))
		return false;
	return armed_ns && (t->syscall.is_mid_call || t->syscall.enter_ns >= armed_ns);
}

/*
 * Attach: in the context of the thread that has made `sk` readable and has not woken any other yet.
 * The list of waiters has the threads that wait for data or watch the socket (poll, epoll), and
 * those that wait for room, which look the same. A socket that is not accepted yet is watched at
 * its listener.
 */
static __always_inline bool is_unwatched(struct sock *sk)
{
	struct socket_wq *queue;

	if (by_syscalls || !attach)
		return false;
	sk = UNTRUSTED(struct sock, sk);
	queue = sk->sk_wq;
	return sk->sk_socket && queue && (u64)queue->wait.head.next == (u64)&queue->wait.head;
}

/*
 * Attach: data becomes visible at `sk`. If a thread sleeps and watches the socket, it is woken
 * next, and on_sched_waking() takes UNWATCHED back. So does an interrupt that wakes another polling
 * thread at this very moment.
 */
static __always_inline u8 watch_begin(struct sock *sk)
{
	if (!attach || by_syscalls)
		return WATCHED;
	return is_unwatched(sk) ? UNWATCHED_SURELY : UNWATCHED;
}

/* Attach: whether the call woke a watching thread; for transports without another event. */
static __always_inline bool has_woken_watcher(const struct task_state *t)
{
	return t->sending.woke_watcher_ns && t->sending.woke_watcher_ns >= t->syscall.enter_ns;
}

/* When the receiver could see what the current call has sent: when it was woken, or now. */
static __always_inline u64 visible_ns(const struct task_state *t)
{
	bool has_woken = t->sending.woke_ns && t->sending.woke_ns >= t->syscall.enter_ns;

	return has_woken ? t->sending.woke_ns : bpf_ktime_get_ns();
}

/* Whether this sleeping thread watches many channels. */
static __always_inline bool sleeps_in_poll(struct task_struct *task)
{
	return is_io_thread(task) || call_polls(call_of(task), task_regs(task));
}

/* The listener of a unix socket has the connection of the current thread in its queue. */
static __always_inline void connection_is_queued(void)
{
	u32 key = current_key();
	struct opening *opening = bpf_map_lookup_elem(&openings, &key);

	if (opening && !opening->queued_ns)
		opening->queued_ns = bpf_ktime_get_ns();
}

static __always_inline bool is_listening(struct sock *sk)
{
	return SOCK_READ(sk, __sk_common.skc_state) == TCP_LISTEN;
}

/* In the context of the thread that has made `sk` readable, or connects to it. */
static __always_inline struct task_state *data_from(struct task_state *t, struct sock *sk)
{
	struct task_struct *task = current_task();
	u64 address = (u64)sk;
	u32 flags;

	if (is_listening(sk)) {
		if (SOCK_READ(sk, __sk_common.skc_family) == AF_UNIX)
			connection_is_queued();
		if (!t && armed_ns && bpf_map_lookup_elem(&listeners, &address))
			trace_sender();
		return NULL;
	}
	if (!armed_ns)
		return NULL;
	if (t && address == t->sending.queued_sock && t->sending.queued_to &&
	    (u64)SOCK_READ(sk, __sk_common.skc_cookie.counter) == t->sending.queued_to) {
		t->sending.queued_flags |= t->is_peer ? 0 : SOCKET_FED;
		return t; /* the same socket as before */
	}
	flags = socket_flags(sk);
	if (!t && flags & SOCKET_TARGET && may_send(task))
		t = trace_sender();
	if (!t)
		return NULL;
	/* Other families: a softirq here may bring the data of another sender. */
	if (SOCK_READ(sk, __sk_common.skc_family) == AF_UNIX) {
		t->sending.queued_flags = flags;
		t->sending.queued_sock = address;
	}
	if (!t->is_peer && !(flags & (SOCKET_TARGET | SOCKET_FED)))
		socket_mark(sk, SOCKET_FED);
	return t;
}

/* The current thread has read from `sk`: it is a peer if it receives what a target has sent. */
static __always_inline struct task_state *data_to(struct task_state *t, struct sock *sk)
{
	if (!armed_ns)
		return NULL;
	if (!t && socket_flags(sk) & (SOCKET_FED | SOCKET_TARGET))
		t = trace_current();
	if (t && !t->is_peer)
		socket_is_targets(t, sk);
	return t;
}

/* The current thread has sent bytes of a stream; sendfile() and splice() send pieces. */
static __always_inline void stream_sent(struct task_state *t, u32 channel, u64 position, u32 bytes,
					u64 queued_ns, bool is_ambiguous)
{
	if (attach && !no_syscalls && !by_syscalls &&
	    (t->syscall.number == __NR_sendfile || t->syscall.number == __NR_splice)) {
		piece_sent(t, channel, position, bytes, queued_ns, is_ambiguous);
		return;
	}
	t->sending.is_ambiguous = is_ambiguous;
	message_sent(t, channel, position, bytes, queued_ns);
}

/* Whether the current futex call may wake this thread of another process out of its own. */
static __always_inline bool futex_wakes(struct task_struct *woken)
{
	const struct pt_regs *regs = task_regs(current_task());

	return futex_is_shared(regs) && call_wakes_futex(regs) && call_is_futex(call_of(woken)) &&
	       futex_is_shared(task_regs(woken));
}

/* Whether the current thread's call may be what wakes this thread of another process. */
static __always_inline bool call_wakes(struct task_struct *woken)
{
	long number = call_of(current_task());

	return call_is_futex(number) ? futex_wakes(woken) : call_sends(number);
}

/* A thread wakes a target, and its call may be the message. */
static __always_inline struct task_state *waking_peer(const struct task_state *woken,
						      struct task_struct *task)
{
	if (!armed_ns || woken->is_peer || READ(current_task(), flags) & PF_KTHREAD ||
	    !call_wakes(task))
		return NULL;
	return trace_sender();
}

/* A target wakes a thread, maybe by a message: in time to see all that the thread does with it. */
static __always_inline struct task_state *woken_peer(struct task_state *waker,
						     struct task_struct *task)
{
	struct task_state *t;

	if (!armed_ns || !waker || waker->is_peer || READ(task, flags) & PF_KTHREAD ||
	    !call_wakes(task))
		return NULL;
	t = trace_thread(task, true);
	if (!t)
		return NULL;
	t->has_untraced_siblings = 1;
	__sync_fetch_and_add(&untraced_siblings, 1);
	begin_asleep(t, task);
	return t;
}
