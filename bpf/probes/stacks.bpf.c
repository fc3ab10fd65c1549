/* SPDX-License-Identifier: GPL-2.0 */
/*
 * With --stacks, takes the stacks of traced threads that sleep or run for long, and of threads that
 * run for long while a traced thread waits for their CPU:
 *
 *	traced thread     runs | sleeps  (blocked)          | waits                    | runs
 *	                       ^ user stack                 ^ kernel stack
 *	other thread              runs                      (in the way of it)         | sleeps
 *	                                                       ^ tick: both stacks     ^ both stacks
 *
 * A user stack can only be read while its thread is current, and a kernel stack at any time. What
 * is taken at the start of a sleep is handed over at its end, if the sleep was long. The ticks of
 * the scheduler come anyway while a thread runs, so that no further interrupt is needed. A thread
 * that keeps the CPU between two ticks only shows where it went to sleep.
 *
 * These programs are only loaded with --stacks. They come before those of sched.bpf.c, which then
 * change the state of the threads.
 */
#include "base/lookup.bpf.h"
#include "kernel/compat.bpf.h"
#include "stack_sample.h"

/* Stacks of shorter times are not handed over. */
const volatile u64 stacks_over_ns = 0;

/* At most so often a sample at a tick: ns. The tick itself comes every 1 to 10 ms. */
#define RAN_APART_NS 900000ULL

u64 sample_counts[NR_SAMPLE_COUNTS];

/* What is known of a CPU. Written under its run queue lock, but for `waited_ns`. */
struct stack_cpu {
	u64 since_ns;               /* the current thread came onto it then; 0: not known */
	u64 waited_ns;              /* if a traced thread waits for it, one does since then */
	u64 ran_ns;                 /* the last sample at a tick */
	struct stack_sample ran;    /* the current thread at a tick; `from_ns` 0: none */
	struct stack_sample sample; /* scratch memory */
};

/* The sleeping threads with their user stacks, by key. `from_ns` 0: the thread does not sleep. */
MAP(stacks, HASH, 2048, u32, struct stack_sample);
MAP(stack_cpus, ARRAY, 1, u32, struct stack_cpu); /* the loader sets the number of CPUs */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the loader sets the size */
} samples SEC(".maps");

static __always_inline void count_sample(enum sample_count count)
{
	__sync_fetch_and_add(&sample_counts[count], 1);
}

/* The number of addresses that these helpers have returned the size of. */
static __always_inline u16 address_cnt(long size)
{
	return size > 0 ? size / sizeof(u64) : 0;
}

static __always_inline u64 image_of(struct task_struct *task)
{
	struct task_struct *first = READ(task, group_leader);

	return (READ(first, start_time) << 8) + READ(task, self_exec_id);
}

/* Bytes from the stack pointer on. 0: they are not all there. */
static __always_inline u32 copy_stack(struct stack_sample *sample, u32 size)
{
	const void *from = (void *)sample->reg[SAMPLE_REG_SP];

	return bpf_probe_read_user(sample->copy, size, from) ? 0 : size;
}

/* The current thread's, which is that of `task`. */
static __always_inline void take_user(void *ctx, struct task_struct *task,
				      struct stack_sample *sample)
{
	sample->user_cnt = sample->copied = 0;
	if (READ(task, flags) & (PF_KTHREAD | PF_IO_WORKER))
		return;
	sample->user_cnt = address_cnt(
		bpf_get_stack(ctx, sample->user, sizeof(sample->user), BPF_F_USER_STACK));
	if (bpf_probe_read_kernel(sample->reg, sizeof(sample->reg), task_regs(task)))
		return;
	/* Near the start of a stack, there is less. */
	sample->copied = copy_stack(sample, SAMPLE_COPY_MAX);
	if (!sample->copied)
		sample->copied = copy_stack(sample, SAMPLE_COPY_MAX / 4);
	if (!sample->copied)
		sample->copied = copy_stack(sample, SAMPLE_COPY_MAX / 16);
}

static __always_inline void describe(struct stack_sample *sample, struct task_struct *task,
				     u32 kind, u64 from_ns)
{
	sample->from_ns = from_ns;
	sample->image = image_of(task);
	sample->pid = task_pid(task);
	sample->tid = task_tid(task);
	sample->kind = kind;
}

static __always_inline void hand_over(struct stack_sample *sample)
{
	u32 copied = sample->copied;

	sample->cpu = bpf_get_smp_processor_id();
	if (copied > SAMPLE_COPY_MAX)
		return;
	if (bpf_ringbuf_output(&samples, sample,
			       __builtin_offsetof(struct stack_sample, copy) + copied,
			       BPF_RB_NO_WAKEUP))
		count_sample(SAMPLES_LOST);
	else
		count_sample(SAMPLES_TAKEN);
}

static __always_inline struct stack_cpu *stack_cpu(u32 cpu)
{
	return bpf_map_lookup_elem(&stack_cpus, &cpu);
}

/* The thread's entry among the sleeping ones, which may be new. */
static __always_inline struct stack_sample *entry_of(struct task_struct *task, struct stack_cpu *s)
{
	u32 key = task_key(task);
	struct stack_sample *entry = bpf_map_lookup_elem(&stacks, &key);

	if (entry)
		return entry;
	if (bpf_map_update_elem(&stacks, &key, &s->sample, BPF_ANY))
		count_sample(SAMPLES_NO_ROOM);
	return bpf_map_lookup_elem(&stacks, &key);
}

static __noinline int falls_asleep(void *ctx, struct task_struct *task, struct stack_cpu *s,
				   u64 now_ns)
{
	struct stack_sample *sample = entry_of(task, s);

	if (!sample)
		return 0;
	describe(sample, task, STACK_BLOCKED, now_ns);
	take_user(ctx, task, sample);
	return 0;
}

/* `task` is current, and in the way of a traced thread. */
static __noinline int take_both(void *ctx, struct task_struct *task, struct stack_sample *sample,
				u64 from_ns, u64 now_ns)
{
	describe(sample, task, STACK_LEFT, from_ns);
	sample->to_ns = now_ns;
	sample->kernel_cnt =
		address_cnt(bpf_get_stack(ctx, sample->kernel, sizeof(sample->kernel), 0));
	take_user(ctx, task, sample);
	return 0;
}

/* What the thread did at a tick is of interest if it has been in the way for long. */
static __always_inline void hand_over_ran(struct stack_cpu *s)
{
	if (s->ran.from_ns)
		hand_over(&s->ran);
	s->ran.from_ns = 0;
}

/* How long a traced thread has waited for the thread that is current. */
static __always_inline u64 was_in_the_way_ns(const struct stack_cpu *s, u64 now_ns)
{
	u64 from_ns = s->since_ns > s->waited_ns ? s->since_ns : s->waited_ns;

	return s->since_ns && from_ns < now_ns ? now_ns - from_ns : 0;
}

static __always_inline void leaves(void *ctx, struct task_struct *task, struct stack_cpu *s,
				   u64 now_ns)
{
	hand_over_ran(s);
	take_both(ctx, task, &s->sample, s->since_ns, now_ns);
	hand_over(&s->sample);
}

/* See switches() in sched.bpf.c. */
static __always_inline int stack_switches(void *ctx, struct task_struct *prev, u32 state)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct task_state *from = task_state(prev);
	struct cpu_state *c = cpu_state(cpu);
	struct stack_cpu *s = stack_cpu(cpu);
	u64 now;

	if (!c || !s)
		return 0;
	now = bpf_ktime_get_ns();
	if (waiters(c) && task_key(prev) && was_in_the_way_ns(s, now) >= stacks_over_ns)
		leaves(ctx, prev, s, now);
	else if (from && now - s->since_ns >= stacks_over_ns)
		hand_over_ran(s);
	if (from && state && !is_held(prev, state))
		falls_asleep(ctx, prev, s, now);
	s->since_ns = now;
	s->ran.from_ns = 0;
	return 0;
}

/* Three variants, as of on_sched_switch. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_stack_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	return stack_switches(ctx, prev, preempt ? 0 : prev_state);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_stack_switch_state_second, bool preempt, unsigned int prev_state,
	     struct task_struct *prev, struct task_struct *next)
{
	return stack_switches(ctx, prev, preempt ? 0 : prev_state);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_stack_switch_without_state, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	return stack_switches(ctx, prev, preempt ? 0 : sleep_of(prev));
}

/*
 * Fires in an interrupt. The scheduler's tick is such a timer. Others may come at any rate.
 */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_stack_timer)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu_state *c = cpu_state(cpu);
	struct stack_cpu *s = stack_cpu(cpu);
	struct task_struct *task = current_task();
	u64 now, ran_ns;

	if (!c || !s || !task_key(task))
		return 0;
	now = bpf_ktime_get_ns();
	if (now - s->ran_ns < RAN_APART_NS)
		return 0;
	/* As far as it concerns a traced thread. */
	if (task_state(task))
		ran_ns = s->since_ns ? now - s->since_ns : 0;
	else
		ran_ns = waiters(c) ? was_in_the_way_ns(s, now) : 0;
	if (!ran_ns)
		return 0;
	s->ran_ns = now;
	take_both(ctx, task, &s->ran, s->since_ns, now);
	s->ran.kind = STACK_RAN;
	if (ran_ns >= stacks_over_ns)
		hand_over_ran(s);
	return 0;
}

/* A traced thread begins to wait for the CPU. */
static __always_inline void note_wait(u32 cpu, u64 now_ns)
{
	struct cpu_state *c = cpu_state(cpu);
	struct stack_cpu *s = stack_cpu(cpu);

	if (c && s && !waiters(c))
		s->waited_ns = now_ns;
}

/*
 * Fires under the run queue lock once the thread has left its CPU, or for one that has not: that
 * one was not seen to fall asleep.
 */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_stack_wakeup, struct task_struct *task)
{
	u32 key = task_key(task);
	struct stack_sample *sample;
	u64 now;

	if (!task_state(task))
		return 0;
	now = bpf_ktime_get_ns();
	note_wait(task_cpu(task), now);
	sample = bpf_map_lookup_elem(&stacks, &key);
	if (!sample || !sample->from_ns)
		return 0;
	if (now - sample->from_ns >= stacks_over_ns) {
		sample->kernel_cnt = address_cnt(
			bpf_get_task_stack(task, sample->kernel, sizeof(sample->kernel), 0));
		sample->to_ns = now;
		hand_over(sample);
	}
	sample->from_ns = 0;
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_stack_wakeup_new, struct task_struct *task)
{
	if (task_state(task))
		note_wait(task_cpu(task), bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_stack_migrate, struct task_struct *task, int to_cpu)
{
	if (task_state(task))
		note_wait(to_cpu, bpf_ktime_get_ns());
	return 0;
}

/* The entry makes room for another thread. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_stack_free, struct task_struct *task)
{
	u32 key = task_key(task);

	bpf_map_delete_elem(&stacks, &key);
	return 0;
}
