/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the tracer's PID namespace. Translates a thread id from this namespace to the initial PID
 * namespace, the namespace of the whole machine. A tracer in the initial namespace does not need
 * this program.
 */
#include "base/lookup.bpf.h"
#include "kernel/idr.bpf.h"

/*
 * Runs in the loader's context. Finds its namespace, and the thread that has the number `ctx[0]`
 * there. Returns that thread's key; 0: there is none. The key of the loader's own thread does not
 * come from the helper, because this has to work before pid_ns is known.
 */
SEC("raw_tp")
int find_pid_ns(u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level), wanted = ctx[0];
	struct pid_namespace *ns = pid_at_level(pid, level).ns;
	u64 found;

	pid_ns_level = level;
	pid_ns = (u64)ns;
	found = idr_entry((u64)BPF_CORE_READ(ns, idr.idr_rt.xa_head), wanted);
	if (!wanted || !found || (u32)pid_at_level((struct pid *)found, level).nr != wanted)
		return 0;
	return pid_at_level((struct pid *)found, 0).nr;
}
