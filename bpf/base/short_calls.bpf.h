/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds up system calls that are too short for a record of their own (--level deep): a thread that
 * reads a file by the byte spends much time in read().
 *
 *	message    write write write  write    open write   message
 *	---|---------||----||---||------||-------||---||-------|---> time
 *	           from_ns                              to_ns
 *
 * A stretch lies between two messages of the thread, so that it is in one service or in none.
 * Whether a call sends or receives a message is known when it is over. So a stretch ends before a
 * call that may do so, unless the last call was the same and did not. If there was a message in
 * spite of that, what has been added up is dropped, as it is not much. Calls that failed are kept:
 * a thread that asks the same socket again and again gets a message at last.
 */
#pragma once

#include "base/context.bpf.h"

static __always_inline void emit_kind(struct task_state *t, u32 i)
{
	struct record_calls record = {};

	if (t->shorts.kind[i].ns < SHORT_CALLS_NS / SHORT_CALL_NUMBERS)
		return;
	record.head = record_head(RECORD_CALLS, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, current_task()));
	record.head.flags = t->shorts.kind[i].error;
	record.number = t->shorts.kind[i].number;
	record.cnt = t->shorts.kind[i].cnt;
	record.from_ns = t->shorts.from_ns;
	record.to_ns = t->shorts.to_ns;
	record.ns = t->shorts.kind[i].ns;
	emit(&record, sizeof(record));
}

/* The stretch of the current thread is over. */
OUT_OF_LINE void end_short_calls(struct task_state *t)
{
	if (t->shorts.ns >= SHORT_CALLS_NS) {
		emit_kind(t, 0);
		emit_kind(t, 1);
		emit_kind(t, 2);
	}
	__builtin_memset(&t->shorts, 0, sizeof(t->shorts));
}

static __always_inline void keep_failed(struct task_state *t)
{
	t->shorts.ns = 0;
	t->shorts.to_ns = t->shorts.failed_to_ns;
	for (u32 i = 0; i < SHORT_CALL_NUMBERS; i++) {
		if (!t->shorts.kind[i].error)
			t->shorts.kind[i].ns = 0;
		t->shorts.ns += t->shorts.kind[i].ns;
	}
}

/* Which call it is, and which file it is for, if it is for one. */
static __always_inline u64 call_and_file(const struct pt_regs *regs, long number)
{
	return (u64)number << 32 | (u32)call_argument(regs, 0);
}

/* The current thread begins a call. */
static __always_inline void short_calls_enter(struct task_state *t, const struct pt_regs *regs,
					      long number)
{
	if (!t->shorts.from_ns)
		return;
	if (t->syscall.has_reported && t->syscall.enter_ns >= t->shorts.from_ns)
		keep_failed(t);
	else if (t->shorts.ns < SHORT_CALLS_NS || (t->shorts.ns < SHORT_CALLS_MOST_NS &&
						   (!(class_of_call(number) & CALLS_FOLLOWED) ||
						    t->shorts.last == call_and_file(regs, number))))
		return;
	end_short_calls(t);
}

/*
 * A call is over, in which the thread had the CPU from `enter_ns` on. `error`: with which it has
 * failed; 0: it has not.
 */
static __always_inline void short_call_over(struct task_state *t, const struct pt_regs *regs,
					    u32 error, u64 enter_ns, u64 now_ns)
{
	u32 number = t->call.number;

	for (u32 i = 0; i < SHORT_CALL_NUMBERS; i++) {
		if (t->shorts.kind[i].cnt &&
		    (t->shorts.kind[i].number != number || t->shorts.kind[i].error != error))
			continue;
		t->shorts.kind[i].number = number;
		t->shorts.kind[i].error = error;
		t->shorts.kind[i].cnt++;
		t->shorts.kind[i].ns += now_ns - enter_ns;
		break;
	}
	if (!t->shorts.from_ns)
		t->shorts.from_ns = enter_ns;
	t->shorts.to_ns = now_ns;
	t->shorts.ns += now_ns - enter_ns;
	if (error)
		t->shorts.failed_to_ns = now_ns;
	t->shorts.last = call_and_file(regs, number);
}
