/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the waits of traced threads for locks of the kernel (--level deep, Linux 5.19). The
 * events fire only where a lock is held by another thread. A mutex has two of the first event, if
 * the thread spins before it sleeps, and locks within another one have their own:
 *
 *	contention_begin(mutex, spins)  contention_begin(mutex)    contention_end(mutex)
 *	  |                               |        asleep                 |
 *
 * The outermost lock counts. The stack is taken at the end of a long wait: at the start it would
 * make every short one longer.
 */
#include "base/context.bpf.h"
#include "base/emit.bpf.h"
#include "base/syscalls.bpf.h"
#include "stack_sample.h"

/*
 * The kernel numbers stacks by their hashes. One that has the hash of an earlier one has no number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, LOCK_STACKS_MAX);
	__uint(key_size, sizeof(u32));
	__uint(value_size, LOCK_FRAMES_MAX * sizeof(u64));
} lock_stacks SEC(".maps");

/* include/trace/events/lock.h */
enum {
	LOCK_SPINS = 1,
	LOCK_READS = 2,
	LOCK_WRITES = 4,
	LOCK_IS_RT = 8,
	LOCK_IS_PERCPU = 16,
	LOCK_IS_MUTEX = 32,
};

/* A spinlock of PREEMPT_RT is a mutex, too, and a rwlock is a rwsem. A semaphore has no flags. */
static __always_inline u32 lock_kind(u32 flags)
{
	if (flags & LOCK_IS_MUTEX)
		return KERNEL_LOCK_MUTEX;
	if (flags & LOCK_SPINS)
		return KERNEL_LOCK_SPIN;
	if (flags & (LOCK_READS | LOCK_WRITES | LOCK_IS_PERCPU))
		return KERNEL_LOCK_RWSEM;
	return flags & LOCK_IS_RT ? KERNEL_LOCK_MUTEX : KERNEL_LOCK_SEMAPHORE;
}

/* The lock of the buffer for records is ipctrace's own. */
static __always_inline bool is_own_lock(struct task_state *t, const void *lock)
{
	struct bpf_ringbuf *buffer = ((struct bpf_ringbuf_map *)(void *)&ring)->rb;

	return address_of(t, lock) ==
	       address_of(t, buffer) + bpf_core_field_offset(struct bpf_ringbuf, spinlock);
}

/* The end of a wait in an earlier call has gone unseen. */
static __always_inline bool waits_already(const struct task_state *t)
{
	return t->lock.address && t->lock.call_ns == t->call.enter_ns;
}

/* What the interrupts do that are in the way of the thread is not its own. */
SEC("tp_btf/contention_begin")
int BPF_PROG(on_lock_begin, void *lock, unsigned int flags)
{
	struct task_state *t = current_state();
	struct cpu_context *c;

	if (!t || waits_already(t) || is_own_lock(t, lock))
		return 0;
	c = cpu_context(bpf_get_smp_processor_id());
	if (!c || context_of(c, ctx).flags & ~WAKER_OWN_SOFTIRQ)
		return 0;
	t->lock.flags = flags;
	t->lock.call_ns = t->call.enter_ns;
	t->lock.from_ns = bpf_ktime_get_ns();
	t->lock.address = (u64)lock;
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(on_lock_end, void *lock)
{
	struct task_state *t = current_state();
	struct record_kernel_lock_stack record = {};
	long number;
	u64 now;

	if (!t || t->lock.address != (u64)lock)
		return 0;
	now = bpf_ktime_get_ns();
	if (now - t->lock.from_ns >= KERNEL_LOCK_WAIT_NS) {
		record.lock.head =
			record_head(RECORD_KERNEL_LOCK, sizeof(record), bpf_get_smp_processor_id(),
				    state_tid(t, current_task()));
		record.lock.kind = lock_kind(t->lock.flags);
		record.lock.number = t->call.enter_ns ? t->call.number : CALL_OUTSIDE;
		record.lock.from_ns = t->lock.from_ns;
		record.lock.to_ns = now;
		number = bpf_get_stackid(ctx, &lock_stacks, 0);
		record.stack = number < 0 ? 0 : number + 1;
		emit(&record, sizeof(record));
	}
	/* Until here, locks of the stacks' map are no waits of the thread. */
	t->lock.address = 0;
	return 0;
}
