/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Surveys the threads, sockets, pipes and queues that exist when ipctrace attaches to running
 * programs. Targets are the processes that the user asked to trace.
 *
 * - find_ends notes the sockets, pipes and queues that the targets have open.
 * - find_peers finds the peers, the processes that have the other ends open.
 * - mark_threads marks the threads of targets and peers for tracing.
 * - find_starving runs periodically, and finds traced threads that get no CPU.
 * - find_asleep finds traced threads that sleep when tracing begins or ends.
 *
 * All BPF programs for events are attached before the survey. Threads that start during the survey
 * are therefore also traced.
 */
#include "attach/listeners.bpf.h"
#include "attach/peer.bpf.h"
#include "base/inet.bpf.h"
#include "base/state_changes.bpf.h"
#include "base/tcp_window.bpf.h"
#include "kernel/compat.bpf.h"
#include "record_asleep.h"
#include "timing.h"
#include "transport/file_dispatch.bpf.h"
#include "transport/mqueue.bpf.h"
#include "transport/receive_calls.bpf.h"

enum { PROCESS_TARGET = 1, PROCESS_PEER = 2 };

/* Keeps such a word apart from addresses. */
#define WORD_OF_UDP (1ULL << 62)

static __always_inline void note_socket(struct sock *sk)
{
	u16 family = SOCK_READ(sk, __sk_common.skc_family);
	struct channel_key key;

	socket_mark(sk, SOCKET_TARGET | SOCKET_OLD);
	if (SOCK_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		note_listener(sk);
	if (family == AF_UNIX) {
		note_end((u64)sk);
		note_end((u64)BPF_CORE_READ((struct unix_sock *)sk, peer));
	} else if (is_inet(family)) {
		key = tcp_key(sk, true);
		note_end(tcp_end(&key));
		if (SOCK_READ(sk, sk_type) == SOCK_DGRAM) {
			looks_up_receives = 1;
			note_end(WORD_OF_UDP | SOCK_READ(sk, __sk_common.skc_num));
		}
	}
}

/* The channel to its peer is the peer's channel from it. */
static __always_inline bool is_peer_socket(struct sock *sk)
{
	u16 family = SOCK_READ(sk, __sk_common.skc_family);
	struct channel_key key;

	if (family == AF_UNIX)
		return is_end((u64)sk) || is_end((u64)BPF_CORE_READ((struct unix_sock *)sk, peer));
	if (!is_inet(family))
		return false;
	if (SOCK_READ(sk, sk_type) == SOCK_DGRAM && SOCK_READ(sk, __sk_common.skc_dport) &&
	    is_end(WORD_OF_UDP | inet_peer_port(&sk->__sk_common)))
		return true;
	key = tcp_key(sk, false);
	return is_end(tcp_end(&key));
}

/* A pipe, or a POSIX queue; 0: neither. */
static __always_inline u64 end_of_file(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFIFO)
		return (u64)BPF_CORE_READ(file, private_data);
	return is_mqueue_posix(inode) ? (u64)inode : 0;
}

/* NULL: the file is no socket. */
static __always_inline struct sock *socket_of_end(struct file *file)
{
	struct socket *socket;

	if (by_syscalls)
		return (struct sock *)socket_of(file).address;
	socket = bpf_sock_from_file(file);
	return socket ? socket->sk : NULL;
}

SEC("iter/task_file")
int find_ends(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct sock *sk;
	u32 pid, *kind;

	if (!task || !file)
		return 0;
	pid = task_pid(task);
	kind = bpf_map_lookup_elem(&processes, &pid);
	if (!kind || *kind != PROCESS_TARGET)
		return 0;
	sk = socket_of_end(file);
	if (sk)
		note_socket(sk);
	else
		note_end(end_of_file(file));
	return 0;
}

SEC("iter/task_file")
int find_peers(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct sock *sk;
	u32 pid, kind = PROCESS_PEER;
	bool is_peer;

	if (!task || !file)
		return 0;
	pid = task_pid(task);
	sk = socket_of_end(file);
	if (sk) {
		if (SOCK_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
			note_port(sk);
		if (SOCK_READ(sk, sk_rcvlowat) > 1)
			looks_up_receives = 1;
		is_peer = is_peer_socket(sk);
		/* The owner of any other may send anywhere, or be accepted soon. */
		if (is_peer || SOCK_READ(sk, __sk_common.skc_family) == AF_UNIX)
			socket_mark(sk, SOCKET_OLD);
	} else {
		is_peer = is_end(end_of_file(file));
	}
	if (is_peer)
		bpf_map_update_elem(&processes, &pid, &kind, BPF_NOEXIST);
	return 0;
}

SEC("iter/task")
int mark_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *t;
	u32 pid, *kind;

	if (!task)
		return 0;
	pid = task_pid(task);
	kind = bpf_map_lookup_elem(&processes, &pid);
	if (!kind || task_state(task))
		return 0;
	t = trace_thread(task, *kind == PROCESS_PEER);
	if (t && is_off_cpu(task)) {
		begin_asleep(t, task);
		receive_waits(t, task);
		if (call_outputs(call_of(task)))
			sender_sleeps(t, task);
		if (!t->is_peer)
			mqueue_waits(task);
	}
	return 0;
}

SEC("iter/task")
int find_starving(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct record_starving record = {};
	struct task_state *t;

	t = task ? task_state(task) : NULL;
	if (!t || t->sched.place != PLACE_RUNNABLE)
		return 0;
	/* Without system call events the call may be over already. */
	if (!no_syscalls && !t->syscall.is_mid_call && t->syscall.number == CALL_OUTSIDE)
		return 0;
	if (!call_is_numbered(call_of(task)))
		return 0;
	/* Since when it may have sent or received in its call. */
	record.from_ns = t->sched.resumed_ns > t->syscall.enter_ns ? t->sched.resumed_ns
								   : t->syscall.enter_ns;
	/* It was woken, maybe by a thread that has handed a message to it. */
	if (!t->sched.resumed_ns)
		record.from_ns = t->sched.runnable_ns;
	record.until_ns = bpf_ktime_get_ns();
	if (record.until_ns < record.from_ns + STARVING_NS)
		return 0;
	record.at_queue = call_uses_queue(call_of(task));
	record.head = record_head(RECORD_STARVING, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, task));
	emit(&record, sizeof(record));
	return 0;
}

/* What the thread waits for in its call: enum asleep_flag. */
static __always_inline u32 waits_in_call(struct task_struct *task, long number)
{
	if (!is_asleep_waiting(task))
		return 0;
	if (class_of_call(number) & CALL_ROOM)
		return ASLEEP_FOR_ROOM;
	return call_inputs(number) ? ASLEEP_FOR_DATA : 0;
}

/* Notes the socket or pipe that the thread sends to or receives from. */
static __always_inline void note_sleepers_file(struct sleeper *sleeper, struct file *file)
{
	struct open_socket open = socket_of(file);
	struct inode *inode;

	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	if (!open.address && (BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFIFO)
		return;
	sleeper->inode = BPF_CORE_READ(inode, i_ino);
	sleeper->is_socket = open.address != 0;
	if (sleeper->record.head.flags & ASLEEP_FOR_ROOM && is_inet(open.family) &&
	    open.type == SOCK_STREAM && keeps_other_waiting((const struct tcp_sock *)open.address))
		sleeper->record.head.flags |= ASLEEP_UNREAD;
}

/*
 * Its output is an array of struct sleeper. A thread may wake up, and go on to another call, while
 * this looks: it is left out then.
 */
SEC("iter/task")
int find_asleep(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sleeper sleeper = {};
	const struct pt_regs *regs;
	struct task_state *t;
	u32 flags;

	t = task ? task_state(task) : NULL;
	if (!t || is_io_thread(task))
		return 0;
	sleeper.sleeps = READ(task, nvcsw);
	if (!is_off_cpu(task) || sleep_of(task) & TASK_DEAD)
		return 0;
	regs = task_regs(task);
	flags = is_held(task, sleep_of(task)) ? ASLEEP_STOPPED : 0;
	if (!flags && !is_in_call(regs))
		return 0;
	sleeper.record.number = call_number(regs);
	if (!flags)
		flags = waits_in_call(task, sleeper.record.number);
	if (BPF_CORE_READ(task, signal, nr_threads) == 1)
		flags |= ASLEEP_ALONE;
	sleeper.record.head = record_head(RECORD_ASLEEP, sizeof(sleeper.record),
					  bpf_get_smp_processor_id(), task_tid(task));
	sleeper.record.head.flags = flags | (t->is_peer ? 0 : ASLEEP_IN_TARGET);
	if (flags & (ASLEEP_FOR_ROOM | ASLEEP_FOR_DATA))
		note_sleepers_file(&sleeper, file_of_task(task, call_output(regs)));
	sleeper.record.pid = task_pid(task);
	sleeper.record.at_ns = bpf_ktime_get_ns();
	sleeper.record.since_ns = t->left_ns;
	BPF_CORE_READ_STR_INTO(&sleeper.record.comm, task, group_leader, comm);
	if (!is_off_cpu(task) || READ(task, nvcsw) != sleeper.sleeps)
		return 0;
	bpf_seq_write(ctx->meta->seq, &sleeper, sizeof(sleeper));
	return 0;
}
