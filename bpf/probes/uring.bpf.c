/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the pipe reads and writes of io_uring in running programs (attach mode). io_uring makes
 * no system call for a read or write, but the kernel has an event for the completion:
 *
 *	io_uring_enter → [copy in or out] → io_uring_complete
 *
 * A request that has to wait is completed later: by the requesting thread when this thread leaves
 * the kernel, or by a worker thread of io_uring. is_outside_calls() recognizes these two cases.
 * Sockets have other events and do not need this file.
 */
#include "base/preempt.bpf.h"
#include "transport/pipe.bpf.h"

/* include/uapi/linux/io_uring.h */
enum {
	URING_READV = 1,
	URING_WRITEV = 2,
	URING_READ_FIXED = 4,
	URING_WRITE_FIXED = 5,
	URING_READ = 22,
	URING_WRITE = 23,
	URING_READV_FIXED = 60,
	URING_WRITEV_FIXED = 61,
};

static __always_inline bool uring_reads(u8 operation)
{
	return operation == URING_READ || operation == URING_READV ||
	       operation == URING_READ_FIXED || operation == URING_READV_FIXED;
}

static __always_inline bool uring_writes(u8 operation)
{
	return operation == URING_WRITE || operation == URING_WRITEV ||
	       operation == URING_WRITE_FIXED || operation == URING_WRITEV_FIXED;
}

/* A thread that was woken outside of a call may have been woken for another reason. */
static __always_inline void uring_done(struct task_state *t, struct io_kiocb *request)
{
	u8 operation = BPF_CORE_READ(request, opcode);
	s32 bytes = BPF_CORE_READ(request, cqe.res);

	if (bytes <= 0 || (!uring_reads(operation) && !uring_writes(operation)))
		return;
	if (t->syscall.number == CALL_OUTSIDE) {
		t->sending.woke_ns = t->sending.woke_watcher_ns = 0;
		/* It may have slept amid the request, since an unknown instant. */
		if (bytes > PIPE_BUF)
			t->sched.resumed_ns = 1;
	}
	pipe_file_used(t, (u64)BPF_CORE_READ(request, file), bytes, uring_reads(operation));
	t->sending.woke_ns = t->sending.woke_watcher_ns = 0;
}

/* From Linux 6.0 on, with more arguments behind these. A result without a request has none. */
TWIN_PROG("tp_btf/io_uring_complete", on_uring_complete, void *context, void *request)
{
	struct task_state *t = current_state();

	if (t && request && armed_ns)
		uring_done(t, request);
}
