/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the interrupts that use a CPU while a traced thread waits for this CPU. A record has the
 * begin and end of the interrupt. The thread's wait may begin during the interrupt. If the thread
 * migrates, the wait may also end during the interrupt.
 */
#include "base/context.bpf.h"

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
					   u32 flags, u64 start_ns, u64 end_ns)
{
	struct record_slice slice = {};

	slice.head = record_head(RECORD_SLICE, sizeof(slice), cpu, id);
	slice.head.flags = flags;
	slice.kind = kind;
	slice.seq = FETCH_ADD(&c->slice_seq, 1);
	slice.start_ns = start_ns;
	slice.end_ns = end_ns;
	emit(&slice, sizeof(slice));
}

/* `title`: its name, if it has no `action`. */
static __always_inline void announce_irq(u32 irq, struct irqaction *action, const char *title,
					 u64 now_ns)
{
	struct name_key key = {.kind = SLICE_IRQ, .id = irq};
	struct record_name record = {};
	struct name_state state = {};

	if (bpf_map_lookup_elem(&names, &key))
		return;
	bpf_probe_read_kernel_str(record.comm, sizeof(record.comm),
				  action ? READ(action, name) : title);
	record.head = record_head(RECORD_NAME, sizeof(record), bpf_get_smp_processor_id(), irq);
	record.kind = SLICE_IRQ;
	record.since_ns = now_ns;
	if (!emit(&record, sizeof(record)))
		bpf_map_update_elem(&names, &key, &state, BPF_ANY);
}

/*
 * Whether a record is due at the end of an interrupt: a traced thread has waited for the CPU, or
 * (at level deep) was interrupted itself.
 */
static __always_inline bool concerns_traced(const struct cpu_state *c, u32 mark)
{
	return has_waiter_since(c, mark) || (deep && current_state());
}

/* --level deep: `irq` uses the CPU from now on. */
OUT_OF_LINE void irq_context_begins(u32 irq, struct irqaction *action, const char *title,
				    u64 now_ns)
{
	struct cpu_context *context = cpu_context(bpf_get_smp_processor_id());

	if (!context)
		return;
	context->irq = irq + 1;
	cpu_is_awake(context, now_ns);
	announce_irq(irq, action, title, now_ns);
}

OUT_OF_LINE void irq_context_ends(void)
{
	struct cpu_context *context = cpu_context(bpf_get_smp_processor_id());

	if (context)
		context->irq = 0;
}

static __always_inline void irq_begins(u32 irq, struct irqaction *action, const char *title)
{
	struct cpu_state *c = cpu_state(bpf_get_smp_processor_id());

	if (!c)
		return;
	c->irq_mark = quiet_mark(c);
	c->irq_ns = bpf_ktime_get_ns();
	if (deep)
		irq_context_begins(irq, action, title, c->irq_ns);
}

static __always_inline void irq_ends(u32 irq, struct irqaction *action, const char *title)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	u64 now;

	if (deep)
		irq_context_ends();
	if (!c || !c->irq_ns || !concerns_traced(c, c->irq_mark))
		return;
	now = bpf_ktime_get_ns();
	announce_irq(irq, action, title, now);
	emit_irq_slice(c, cpu, SLICE_IRQ, irq, 0, c->irq_ns, now);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq, struct irqaction *action)
{
	irq_begins(irq, action, NULL);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_exit, int irq, struct irqaction *action, int ret)
{
	irq_ends(irq, action, NULL);
	return 0;
}

/* --level deep: interrupts of the CPU itself. */
#define CPU_IRQ_PROGS(name, event, number, text)                                                   \
	SEC("tp_btf/" #event "_entry") int BPF_PROG(on_cpu_##name##_entry, int vector)             \
	{                                                                                          \
		static const char title[RECORD_COMM_LEN] = text;                                   \
		irq_begins(IRQ_OF_CPU + number, NULL, title);                                      \
		return 0;                                                                          \
	}                                                                                          \
	SEC("tp_btf/" #event "_exit") int BPF_PROG(on_cpu_##name##_exit, int vector)               \
	{                                                                                          \
		static const char title[RECORD_COMM_LEN] = text;                                   \
		irq_ends(IRQ_OF_CPU + number, NULL, title);                                        \
		return 0;                                                                          \
	}

CPU_IRQ_PROGS(timer, local_timer, CPU_IRQ_TIMER, "local timer")
CPU_IRQ_PROGS(reschedule, reschedule, CPU_IRQ_RESCHEDULE, "reschedule")
CPU_IRQ_PROGS(call, call_function, CPU_IRQ_CALL, "function call")
CPU_IRQ_PROGS(call_single, call_function_single, CPU_IRQ_CALL_SINGLE, "function call")
CPU_IRQ_PROGS(work, irq_work, CPU_IRQ_WORK, "irq work")

OUT_OF_LINE void softirq_context_begins(u32 cpu, u32 vector)
{
	struct cpu_context *context = cpu_context(cpu);
	u32 *raiser;

	if (!context)
		return;
	raiser = &context->raiser[vector & (SOFTIRQS_MAX - 1)];
	/* The twin comes second. */
	if (*raiser == RAISED_BY_NONE && in_softirq(context) && context->softirq == vector + 1)
		return;
	context->softirq = vector + 1;
	context->softirq_thread = current_key() + 1;
	context->softirq_raiser = *raiser;
	*raiser = RAISED_BY_NONE;
}

/* Returns flags for its slice. */
OUT_OF_LINE u32 softirq_context_ends(u32 cpu)
{
	struct cpu_context *context = cpu_context(cpu);
	u32 flags = 0;

	if (!context)
		return 0;
	if (in_softirq(context) && softirq_context(context).flags & WAKER_OWN_SOFTIRQ)
		flags = SLICE_OWN;
	context->softirq = 0;
	return flags;
}

/* On PREEMPT_RT softirqs run in threads: twins as in preempt.bpf.h, which may both run. */
static __always_inline void softirq_begins(u32 vector)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);

	if (!c)
		return;
	if (deep)
		softirq_context_begins(cpu, vector);
	c->softirq_mark = quiet_mark(c);
	c->softirq_ns = bpf_ktime_get_ns();
}

static __always_inline void softirq_ends(u32 vector)
{
	u32 cpu = bpf_get_smp_processor_id(), flags = deep ? softirq_context_ends(cpu) : 0;
	struct cpu_state *c = cpu_state(cpu);

	if (!c || !c->softirq_ns)
		return;
	if (concerns_traced(c, c->softirq_mark))
		emit_irq_slice(c, cpu, SLICE_SOFTIRQ, vector, flags, c->softirq_ns,
			       bpf_ktime_get_ns());
	c->softirq_ns = 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int vector)
{
	softirq_begins(vector);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry_twin, unsigned int vector)
{
	softirq_begins(vector);
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
