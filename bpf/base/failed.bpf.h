/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the system calls for messages and connections that fail (--level deep): a thread that asks
 * a socket again and again whether there is something, without a call that waits for it. The calls
 * of one number and error are added up, and are recorded once in FAILED_NS:
 *
 *	EAGAIN EAGAIN  EAGAIN        EAGAIN
 *	--|------|-------|--- ... -----|-----> time
 *	from_ns                      to_ns, at least FAILED_NS later
 *
 * Calls of several files are one sum without a file. Calls that share a place in the table with
 * others are not counted until that is empty again: there are as many calls as recorded, or more.
 */
#pragma once

#include "base/futile.bpf.h"
#include "base/inet.bpf.h"

/*
 * The error with which a call to obtain or to send something has failed; 0: it has not. A signal,
 * after which the kernel may begin the call again, is no failure.
 */
static __always_inline u32 failed_with(long number, long ret)
{
	if (ret >= 0 || -ret > FAILED_ERRNO_MAX || ret == -EINTR)
		return 0;
	return call_is_of_use(number) ? -ret : 0;
}

/*
 * Notes which call has failed, in case the thread sleeps a while next, before it tries again. That
 * a file is not there, or no terminal, is not what it sleeps for; nor is a call that has slept,
 * until a timeout, or one for a lock of the program's own.
 */
static __always_inline void note_failed(struct task_state *t, long ret)
{
	if (-ret > FAILED_ERRNO_MAX || ret == -EINTR || ret == -ENOENT || ret == -ENOTTY ||
	    ret == -ESPIPE || ret == -ETIMEDOUT || ret == -EINPROGRESS ||
	    call_is_futex(t->call.number) || READ(current_task(), nvcsw) != t->call.sleeps)
		return;
	t->call.failed = t->call.number;
	t->call.failed_error = -ret;
	t->call.failed_sleeps = READ(current_task(), nvcsw);
}

static __always_inline void failed_place(struct failed_calls *failed, const struct file *file)
{
	struct open_socket open = socket_of((struct file *)file);
	const struct sock_common *common = &((struct sock *)open.address)->__sk_common;

	if (!open.address)
		return;
	failed->family = open.family;
	if (!is_inet(open.family))
		return;
	failed->port = BPF_CORE_READ(common, skc_num);
	failed->peer_port = __builtin_bswap16(BPF_CORE_READ(common, skc_dport));
}

static __always_inline void failed_emit(struct task_state *t, struct failed_calls *failed)
{
	struct record_failed record = {
		.number = failed->number,
		.cnt = failed->cnt,
		.from_ns = failed->from_ns,
		.to_ns = failed->to_ns,
		.ns = failed->ns,
		.inode = failed->inode,
		.family = failed->family,
		.port = failed->port,
		.peer_port = failed->peer_port,
	};

	if (failed->cnt < FAILED_LEAST)
		return;
	record.head = record_head(RECORD_FAILED, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, current_task()));
	record.head.flags = failed->error;
	emit(&record, sizeof(record));
}

/*
 * A call of the current thread, which began at `enter_ns`, has failed. `ns`: it took so long on a
 * CPU, for what is known.
 */
OUT_OF_LINE void count_failed(struct task_state *t, const struct pt_regs *regs, u32 error,
			      u64 enter_ns, u64 ns)
{
	u32 number = t->call.number;
	struct failed_calls *failed = &t->failed[(number ^ number >> 5) % FAILED_PLACES];
	struct file *file = file_of(call_argument(regs, 0));
	u32 inode = file ? BPF_CORE_READ(file, f_inode, i_ino) : 0;
	bool is_old = failed->cnt && enter_ns - failed->from_ns >= FAILED_NS;

	if (failed->cnt && (failed->number != number || failed->error != error)) {
		if (!is_old)
			return;
		failed_emit(t, failed);
		failed->cnt = 0;
	}
	if (!failed->cnt) {
		__builtin_memset(failed, 0, sizeof(*failed));
		failed->from_ns = enter_ns;
		failed->number = number;
		failed->error = error;
		failed->inode = inode;
		failed_place(failed, file);
	} else if (failed->inode != inode) {
		failed->inode = failed->family = failed->port = failed->peer_port = 0;
	}
	failed->cnt++;
	failed->ns += ns;
	failed->to_ns = enter_ns + ns;
	if (!is_old)
		return;
	failed_emit(t, failed);
	failed->cnt = 0;
}
