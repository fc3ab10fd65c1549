/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the system calls in which traced threads spend much time on a CPU (--level deep): fork()
 * of a large process, for example. Short calls are added up, see short_calls.bpf.h. A call in which
 * the kernel itself waits, as fsync() does for a disk, counts as a whole: it may run and sleep many
 * times. Notes which calls find nothing, see futile.bpf.h, and counts those that fail, see
 * failed.bpf.h.
 */
#include "base/context.bpf.h"
#include "base/failed.bpf.h"
#include "base/faults.bpf.h"
#include "base/futile.bpf.h"
#include "base/shared.bpf.h"
#include "base/short_calls.bpf.h"

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call_enter, struct pt_regs *regs, long number)
{
	struct task_state *t = current_state();

	if (!t)
		return 0;
	short_calls_enter(t, regs, number);
	t->call.enter_ns = bpf_ktime_get_ns();
	note_faults(t, current_task(), t->call.enter_ns);
	t->call.since_ns = t->call.enter_ns;
	t->call.has_waited = 0;
	t->call.sleeps = READ(current_task(), nvcsw);
	t->call.number = number;
	return 0;
}

/* Since when the thread has not slept in its call; all of the call if the kernel waited in it. */
static __always_inline u64 awake_since(const struct task_state *t)
{
	u64 enter_ns = t->call.enter_ns;

	if (t->call.has_waited || READ(current_task(), nvcsw) == t->call.sleeps)
		return enter_ns;
	return t->sched.resumed_ns > enter_ns ? t->sched.resumed_ns : 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_call_exit, struct pt_regs *regs, long ret)
{
	struct task_state *t = current_state();
	struct record_call call = {};
	u64 now, since_ns;
	bool had_cpu;
	u32 error;

	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	note_faults(t, current_task(), now);
	t->call.since_ns = now;
	if (t->receiving.has_record && t->udp.sock)
		note_shared_datagrams(t, (struct sock *)t->udp.sock, now);
	if (shares_waits && t->receiving.has_record)
		note_shared_epoll(t, regs, now);
	if (!t->call.enter_ns)
		return 0;
	note_wait_over(t, regs, ret);
	note_outcome(t, ret);
	if (ret < 0)
		note_failed(t, ret);
	since_ns = awake_since(t);
	call.enter_ns = t->call.enter_ns;
	t->call.enter_ns = 0;
	had_cpu = since_ns == call.enter_ns && t->sched.resumed_ns <= since_ns;
	error = failed_with(t->call.number, ret);
	if (error)
		count_failed(t, regs, error, call.enter_ns, had_cpu ? now - call.enter_ns : 0);
	if (!since_ns)
		return 0;
	if (now - since_ns < CALL_LONG_NS) {
		if (had_cpu)
			short_call_over(t, regs, error, since_ns, now);
		return 0;
	}
	end_short_calls(t);
	call.head = record_head(RECORD_CALL, sizeof(call), bpf_get_smp_processor_id(),
				state_tid(t, current_task()));
	call.head.flags = call_polls(t->call.number, regs) ? CALL_IN_POLL : 0;
	call.number = t->call.number;
	call.exit_ns = now;
	emit(&call, sizeof(call));
	return 0;
}
