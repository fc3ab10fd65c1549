/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the interrupts that use a CPU while a traced thread waits for this CPU. A record has the
 * begin and end of the interrupt. The thread's wait may begin during the interrupt. If the thread
 * migrates, the wait may also end during the interrupt.
 */
#include "base/emit.bpf.h"

static __always_inline u32 waits_begun(u64 waits)
{
	return waits >> 32;
}

/* See struct cpu_state. The mark does not match later if a thread waits now, or a wait begins. */
static __always_inline u32 quiet_mark(const struct cpu_state *c)
{
	u64 waits = *(volatile u64 *)&c->waits;

	return (u32)waits ? waits_begun(waits) - 1 : waits_begun(waits);
}

static __always_inline bool has_waiter_since(const struct cpu_state *c, u32 mark)
{
	return waits_begun(*(volatile u64 *)&c->waits) != mark;
}

static __always_inline void emit_irq_slice(struct cpu_state *c, u32 cpu, u32 kind, u32 id,
					   u64 start_ns, u64 end_ns)
{
	struct record_slice slice = {};

	slice.head = record_head(RECORD_SLICE, sizeof(slice), cpu, id);
	slice.kind = kind;
	slice.seq = FETCH_ADD(&c->slice_seq, 1);
	slice.start_ns = start_ns;
	slice.end_ns = end_ns;
	emit(&slice, sizeof(slice));
}

static __always_inline void announce_irq(u32 irq, struct irqaction *action, u64 now_ns)
{
	struct name_key key = {.kind = SLICE_IRQ, .id = irq};
	struct record_name record = {};
	struct name_state state = {};

	if (bpf_map_lookup_elem(&names, &key))
		return;
	bpf_probe_read_kernel_str(record.comm, sizeof(record.comm), READ(action, name));
	record.head = record_head(RECORD_NAME, sizeof(record), bpf_get_smp_processor_id(), irq);
	record.kind = SLICE_IRQ;
	record.since_ns = now_ns;
	if (!emit(&record, sizeof(record)))
		bpf_map_update_elem(&names, &key, &state, BPF_ANY);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq, struct irqaction *action)
{
	struct cpu_state *c = cpu_state(bpf_get_smp_processor_id());

	if (!c)
		return 0;
	c->irq_mark = quiet_mark(c);
	c->irq_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_exit, int irq, struct irqaction *action, int ret)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	u64 now;

	if (!c || !c->irq_ns || !has_waiter_since(c, c->irq_mark))
		return 0;
	now = bpf_ktime_get_ns();
	announce_irq(irq, action, now);
	emit_irq_slice(c, cpu, SLICE_IRQ, irq, c->irq_ns, now);
	return 0;
}

/* On PREEMPT_RT softirqs run in threads: twins as in preempt.bpf.h, which may both run. */
static __always_inline void softirq_begins(void)
{
	struct cpu_state *c = cpu_state(bpf_get_smp_processor_id());

	if (!c)
		return;
	c->softirq_mark = quiet_mark(c);
	c->softirq_ns = bpf_ktime_get_ns();
}

static __always_inline void softirq_ends(unsigned int vector)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);

	if (!c || !c->softirq_ns)
		return;
	if (has_waiter_since(c, c->softirq_mark))
		emit_irq_slice(c, cpu, SLICE_SOFTIRQ, vector, c->softirq_ns, bpf_ktime_get_ns());
	c->softirq_ns = 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int vector)
{
	softirq_begins();
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry_twin, unsigned int vector)
{
	softirq_begins();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit, unsigned int vector)
{
	softirq_ends(vector);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit_twin, unsigned int vector)
{
	softirq_ends(vector);
	return 0;
}
