/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes when CPUs go idle and when they are awake again (--level deep). An idle CPU mostly handles
 * an interrupt first, which may wake a thread there; only then it leaves its idle loop. The IDLE
 * record goes out when the CPU switches to a thread, see deep_switch.bpf.h.
 */
#include "base/context.bpf.h"

#define PWR_EVENT_EXIT (~0u) /* include/trace/events/power.h */

SEC("tp_btf/cpu_idle")
int BPF_PROG(on_cpu_idle, unsigned int state, unsigned int cpu)
{
	struct cpu_context *c = cpu_context(bpf_get_smp_processor_id());

	if (!c)
		return 0;
	if (state == PWR_EVENT_EXIT) {
		cpu_is_awake(c, bpf_ktime_get_ns());
	} else {
		c->idle_ns = bpf_ktime_get_ns();
		c->left_ns = 0;
	}
	return 0;
}
