/* SPDX-License-Identifier: BSD-2-Clause */
/* The slices of a CPU are numbered, so a missing number shows a lost slice. */
#include "analysis/history/cpu_slices.h"

#include "container/deque.h"
#include "container/time_search.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * A late slice is inserted in front of up to this many; beyond, the CPU is sorted when it is read.
 */
#define OVERTAKEN_MAX 64

struct slices {
	struct record_slice *slice;
	struct deque deque;
	bool sorted;
	size_t near; /* the last result of a search: messages come almost in the order of time */
};

struct cpu {
	struct slices of[NR_SLICE_KINDS];
	uint32_t first; /* number of its first slice; higher, if all before it are forgotten */
};

struct cpu_slices {
	struct cpu **cpu; /* [cpu_cnt], by number; NULL: it has no slices */
	size_t cpu_cnt;
	size_t cnt;            /* slices of all CPUs */
	struct cpu_shares old; /* working space: large for a stack */
};

struct cpu_slices *cpu_slices__new(void)
{
	return calloc(1, sizeof(struct cpu_slices));
}

void cpu_slices__free(struct cpu_slices *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->cpu_cnt; i++) {
		for (int kind = 0; all->cpu[i] && kind < NR_SLICE_KINDS; kind++) {
			struct slices *slices = &all->cpu[i]->of[kind];

			deque_free(&slices->deque, &slices->slice, sizeof(*slices->slice));
		}
		free(all->cpu[i]);
	}
	free(all->cpu);
	free(all);
}

static struct cpu *cpu_slices_cpu_of(const struct cpu_slices *all, uint32_t number)
{
	return number < all->cpu_cnt ? all->cpu[number] : NULL;
}

static struct cpu *cpu_make(struct cpu_slices *all, uint32_t number)
{
	struct cpu **more;

	if (number >= all->cpu_cnt) {
		more = realloc(all->cpu, (number + 1) * sizeof(struct cpu *));
		if (!more)
			return NULL;
		memset(more + all->cpu_cnt, 0, (number + 1 - all->cpu_cnt) * sizeof(struct cpu *));
		all->cpu = more;
		all->cpu_cnt = number + 1;
	}
	if (!all->cpu[number])
		all->cpu[number] = calloc(1, sizeof(struct cpu));
	return all->cpu[number];
}

static int compare_slices(const void *a, const void *b)
{
	const struct record_slice *x = a, *y = b;

	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? 1 : -1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void cpu_slices_sort(struct slices *slices)
{
	if (!slices->sorted && slices->deque.cnt && step_limit_spend_sort(slices->deque.cnt))
		qsort(slices->slice, slices->deque.cnt, sizeof(*slices->slice), compare_slices);
	slices->sorted = true;
}

static void cpu_slices_drop_oldest(struct cpu_slices *all, struct slices *slices, size_t cnt)
{
	if (!cnt)
		return;
	all->cnt -= cnt;
	slices->near -= cnt < slices->near ? cnt : slices->near;
	deque_drop(&slices->deque, &slices->slice, cnt, sizeof(*slices->slice));
}

static int cpu_slices_append(struct cpu_slices *all, struct slices *slices,
			     const struct record_slice *slice)
{
	size_t at, overtaken = 0;

	if (slices->deque.cnt == CPU_SLICES_MAX) {
		cpu_slices_sort(slices);
		cpu_slices_drop_oldest(all, slices, slices->deque.cnt / 2);
	}
	if (deque_reserve(&slices->deque, &slices->slice, 1, sizeof(*slice)))
		return -ENOMEM;
	at = slices->deque.cnt++;
	for (; slices->sorted && at && compare_slices(&slices->slice[at - 1], slice) > 0; at--) {
		if (overtaken++ == OVERTAKEN_MAX)
			slices->sorted = false;
		slices->slice[at] = slices->slice[at - 1];
	}
	step_limit_spend(overtaken);
	slices->slice[at] = *slice;
	all->cnt++;
	return 0;
}

int cpu_slices__add(struct cpu_slices *all, const struct record_slice *slice)
{
	/* TASK and UNSEEN slices form one sequence. */
	enum slice_kind kind = slice->kind == SLICE_UNSEEN ? SLICE_TASK : slice->kind;
	struct cpu *cpu;

	if (slice->kind >= NR_SLICE_KINDS)
		return 0;
	cpu = cpu_make(all, slice->head.cpu);
	return cpu ? cpu_slices_append(all, &cpu->of[kind], slice) : -ENOMEM;
}

/* How many slices have ended at that instant; `near` is a guess. */
static size_t ended_by(const struct slices *slices, uint64_t at_ns, size_t near)
{
	return time_search_count(TIME_SEARCH(slices->slice, slices->deque.cnt, end_ns), at_ns,
				 near);
}

/* Index of the first slice that ends after `at_ns`. */
static size_t first_ending_after(struct slices *slices, uint64_t at_ns)
{
	slices->near = ended_by(slices, at_ns, slices->near);
	return slices->near;
}

enum { SHARE_ITSELF = SHARE_STOLEN + 1 }; /* the running thread, between interrupts */

static const struct cpu_share unknown = {.kind = SHARE_UNKNOWN};

/* Appends a share of `runner`. If there is no room, the last share becomes unknown and has the
 * rest. */
static void add_share(struct cpu_shares *shares, uint64_t from_ns, uint64_t to_ns,
		      const struct cpu_share *runner)
{
	struct cpu_share share = *runner;

	if (from_ns >= to_ns)
		return;
	share.from_ns = from_ns;
	share.to_ns = to_ns;
	if (shares->cnt == CPU_SHARES_MAX) {
		share = unknown;
		share.from_ns = shares->share[--shares->cnt].from_ns;
		share.to_ns = to_ns;
	}
	shares->share[shares->cnt++] = share;
}

/* What ran in a slice; the times are left to the caller. */
static struct cpu_share runner_of(const struct record_slice *slice)
{
	return (struct cpu_share){
		.kind = slice->kind,
		.id = slice->head.tid,
		.is_own = slice->kind == SLICE_SOFTIRQ && slice->head.flags & SLICE_OWN,
		.is_reserve = slice->kind == SLICE_TASK && slice->head.flags & SLICE_RESERVE,
		.seen_ns = slice->end_ns,
	};
}

/* Whether number `a` comes before `b`. Numbers can wrap. */
static bool cpu_slices_is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* How many of the sorted slices have a number before `seq`. */
static size_t numbered_before(const struct slices *slices, uint32_t seq)
{
	size_t low = 0, high = slices->deque.cnt;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cpu_slices_is_before(slices->slice[middle].seq, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Whether no slice is missing between this one and the task slice before it: all numbers in between
 * belong to interrupts then. `before` is how many task
 * slices have a smaller number than this one.
 */
static bool follows(const struct cpu *cpu, const struct record_slice *slice, size_t before)
{
	const struct slices *tasks = &cpu->of[SLICE_TASK];
	uint32_t begin = before ? tasks->slice[before - 1].seq + 1 : cpu->first;
	uint32_t missing = slice->seq - begin;

	if (!missing)
		return true;
	for (int kind = SLICE_IRQ; kind <= SLICE_SOFTIRQ; kind++)
		missing -= numbered_before(&cpu->of[kind], slice->seq) -
			   numbered_before(&cpu->of[kind], begin);
	return !missing;
}

static bool is_idle(const struct record_slice *slice)
{
	return !slice->head.tid;
}

/*
 * Whether idle slice `i` began while the thread waited, that is, after another thread had run. A
 * CPU that may run a waiting thread does not go idle, so bandwidth control held this one back.
 */
static bool is_held(const struct slices *tasks, size_t i, uint64_t began_ns)
{
	for (; i && tasks->slice[i - 1].end_ns > began_ns && step_limit_spend(1); i--) {
		if (!is_idle(&tasks->slice[i - 1]))
			return true;
	}
	return false;
}

/*
 *	     from                                            to
 *	       |--------- X ---------|----- Y -----|--- Z ----|
 *	 slice ends:               t1            t2         t3 = to
 *
 * Every switch between `from` and `to` ended a slice, because a traced thread waited. So the first
 * slice that ends after `from` covers the time from `from` on.
 */
static void cut_tasks(struct cpu *cpu, const struct cpu_wait *wait, struct cpu_shares *shares)
{
	const struct cpu_share held = {.kind = wait->held_kind};
	struct slices *tasks = &cpu->of[SLICE_TASK];
	uint64_t at_ns = wait->from_ns;

	for (size_t i = first_ending_after(tasks, at_ns);
	     i < tasks->deque.cnt && at_ns < wait->to_ns && step_limit_spend(STEPS_OF_SLICE); i++) {
		const struct record_slice *slice = &tasks->slice[i];
		uint64_t end_ns = slice->end_ns < wait->to_ns ? slice->end_ns : wait->to_ns;
		struct cpu_share runner = runner_of(slice);
		bool is_known = slice->kind == SLICE_TASK && follows(cpu, slice, i);

		if (is_known && is_idle(slice) && is_held(tasks, i, wait->began_ns))
			runner = held;
		add_share(shares, at_ns, end_ns, is_known ? &runner : &unknown);
		at_ns = end_ns;
	}
	add_share(shares, at_ns, wait->to_ns, &unknown);
}

/*
 * What ran in the slice of an interrupt. If a slice is missing, it can be a hardware interrupt
 * inside of this softirq. `is_complete`: none is.
 */
static struct cpu_share interrupter_of(const struct cpu *cpu, const struct record_slice *slice,
				       bool is_complete)
{
	bool is_known = slice->kind == SLICE_IRQ || is_complete ||
			follows(cpu, slice, numbered_before(&cpu->of[SLICE_TASK], slice->seq));

	return is_known ? runner_of(slice) : unknown;
}

/*
 * Appends one share with the slices that interrupt it in their places. `*at` is the first slice
 * that ends after the share begins; it becomes the first that ends after the share ends.
 *
 *	share    |---------------- X ----------------|
 *	slices      |- a -|         |----- b -----------|
 *	         |X |  a  |    X    |       b        |
 */
static void add_interrupted(const struct cpu *cpu, const struct slices *slices, size_t *at,
			    bool is_complete, const struct cpu_share *share,
			    struct cpu_shares *shares)
{
	uint64_t from_ns = share->from_ns;

	while (from_ns < share->to_ns && *at < slices->deque.cnt &&
	       step_limit_spend(STEPS_OF_SLICE)) {
		const struct record_slice *slice = &slices->slice[*at];
		uint64_t start_ns = slice->start_ns > from_ns ? slice->start_ns : from_ns;
		uint64_t end_ns = slice->end_ns < share->to_ns ? slice->end_ns : share->to_ns;
		struct cpu_share runner;

		if (start_ns >= share->to_ns)
			break;
		if (start_ns < end_ns) {
			runner = interrupter_of(cpu, slice, is_complete);
			add_share(shares, from_ns, start_ns, share);
			add_share(shares, start_ns, end_ns, &runner);
			from_ns = end_ns;
		}
		if (slice->end_ns <= share->to_ns)
			++*at;
	}
	add_share(shares, from_ns, share->to_ns, share);
}

/*
 * Moves the time of interrupts out of the shares that they interrupted. Interrupts of one kind do
 * not nest, so they end in the order in which they start.
 */
static void overlay(struct cpu_slices *all, const struct cpu *cpu, struct slices *slices,
		    bool is_complete, struct cpu_shares *shares)
{
	struct cpu_shares *old = &all->old;
	size_t at;

	if (!shares->cnt)
		return;
	at = first_ending_after(slices, shares->share[0].from_ns);
	if (at == slices->deque.cnt ||
	    slices->slice[at].start_ns >= shares->share[shares->cnt - 1].to_ns)
		return;
	old->cnt = shares->cnt;
	memcpy(old->share, shares->share, old->cnt * sizeof(old->share[0]));
	shares->cnt = 0;
	for (uint32_t i = 0; i < old->cnt && step_limit_spend(1); i++)
		add_interrupted(cpu, slices, &at, is_complete, &old->share[i], shares);
}

void cpu_shares_single(struct cpu_shares *shares, uint64_t from_ns, uint64_t to_ns, uint32_t kind)
{
	shares->cnt = 0;
	add_share(shares, from_ns, to_ns, &(struct cpu_share){.kind = kind});
}

static void overlay_interrupts(struct cpu_slices *all, struct cpu *cpu, bool is_complete,
			       struct cpu_shares *shares)
{
	/* A hardware interrupt may interrupt a softirq, never the other way round. */
	static const enum slice_kind overlays[] = {SLICE_SOFTIRQ, SLICE_IRQ};

	for (size_t k = 0; k < sizeof(overlays) / sizeof(overlays[0]); k++)
		overlay(all, cpu, &cpu->of[overlays[k]], is_complete, shares);
}

static void sort_all(struct cpu *cpu)
{
	for (int kind = 0; kind < NR_SLICE_KINDS; kind++)
		cpu_slices_sort(&cpu->of[kind]);
}

void cpu_slices__cut(struct cpu_slices *all, const struct cpu_wait *wait, struct cpu_shares *shares)
{
	struct cpu *cpu = cpu_slices_cpu_of(all, wait->cpu);

	if (!cpu) {
		cpu_shares_single(shares, wait->from_ns, wait->to_ns, SHARE_UNKNOWN);
		return;
	}
	shares->cnt = 0;
	sort_all(cpu);
	cut_tasks(cpu, wait, shares);
	overlay_interrupts(all, cpu, false, shares);
}

/* The slices of all kinds that have ended at an instant. */
struct ended {
	size_t cnt;
	uint32_t next; /* the number after the last of them */
};

static struct ended ended_at(struct cpu *cpu, uint64_t at_ns)
{
	struct ended ended = {.next = cpu->first};

	for (int kind = 0; kind < NR_SLICE_KINDS; kind++) {
		struct slices *slices = &cpu->of[kind];
		size_t cnt = first_ending_after(slices, at_ns);

		ended.cnt += cnt;
		if (cnt && cpu_slices_is_before(ended.next, slices->slice[cnt - 1].seq + 1))
			ended.next = slices->slice[cnt - 1].seq + 1;
	}
	return ended;
}

/* Whether the next slice that ends later than these is the one with the next number, if any is. */
static bool cpu_slices_goes_on(struct cpu *cpu, uint64_t at_ns, uint32_t next)
{
	bool is_last = true;

	for (int kind = 0; kind < NR_SLICE_KINDS; kind++) {
		struct slices *slices = &cpu->of[kind];
		size_t at = first_ending_after(slices, at_ns);

		if (at == slices->deque.cnt)
			continue;
		if (slices->slice[at].seq == next)
			return true;
		is_last = false;
	}
	return is_last;
}

/*
 *	from                          to
 *	 |----|irq 4|---|irq 5|-------|----|irq 6|
 *	 3 slices ended     5 have      the next is number 5
 *
 * The numbers show whether a slice is missing: it ended between two others.
 */
static bool cpu_slices_is_complete(struct cpu *cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct ended before = ended_at(cpu, from_ns), all = ended_at(cpu, to_ns);

	return all.next - before.next == all.cnt - before.cnt &&
	       cpu_slices_goes_on(cpu, to_ns, all.next);
}

void cpu_slices__interrupts(struct cpu_slices *all, uint32_t number, uint64_t from_ns,
			    uint64_t to_ns, struct cpu_shares *shares)
{
	struct cpu *cpu = cpu_slices_cpu_of(all, number);
	uint32_t kept = 0;

	shares->cnt = 0;
	if (!cpu)
		return;
	sort_all(cpu);
	if (!cpu_slices_is_complete(cpu, from_ns, to_ns)) {
		cpu_shares_single(shares, from_ns, to_ns, SHARE_UNKNOWN);
		return;
	}
	cpu_shares_single(shares, from_ns, to_ns, SHARE_ITSELF);
	overlay_interrupts(all, cpu, true, shares);
	for (uint32_t i = 0; i < shares->cnt; i++) {
		if (shares->share[i].kind != SHARE_ITSELF)
			shares->share[kept++] = shares->share[i];
	}
	shares->cnt = kept;
}

/*
 * Forgets the interrupts that have ended by then. The task slice before them, or else `first`,
 * stands for their numbers from now on. If one of these is missing, that one ended before them.
 */
static void drop_interrupts(struct cpu_slices *all, struct cpu *cpu, struct record_slice *task,
			    uint64_t horizon_ns)
{
	uint32_t next = task ? task->seq + 1 : cpu->first;

	for (int kind = SLICE_IRQ; kind <= SLICE_SOFTIRQ; kind++) {
		struct slices *slices = &cpu->of[kind];
		size_t old = ended_by(slices, horizon_ns, 0);

		if (old && cpu_slices_is_before(next, slices->slice[old - 1].seq + 1))
			next = slices->slice[old - 1].seq + 1;
		cpu_slices_drop_oldest(all, slices, old);
	}
	cpu->first = next;
	if (task)
		task->seq = next - 1;
}

/* Keeps one older task slice: it shows that no slice is missing between it and the next one. */
static void trim_cpu(struct cpu_slices *all, struct cpu *cpu, uint64_t horizon_ns)
{
	struct slices *tasks = &cpu->of[SLICE_TASK];
	size_t old;

	sort_all(cpu);
	old = ended_by(tasks, horizon_ns, 0);
	if (old)
		cpu_slices_drop_oldest(all, tasks, old - 1);
	drop_interrupts(all, cpu, old ? &tasks->slice[0] : NULL, horizon_ns);
	for (int kind = 0; kind < NR_SLICE_KINDS; kind++)
		deque_fit(&cpu->of[kind].deque, &cpu->of[kind].slice, sizeof(*cpu->of[kind].slice));
}

size_t cpu_slices__cnt(const struct cpu_slices *all)
{
	return all->cnt;
}

void cpu_slices__trim(struct cpu_slices *all, uint64_t horizon_ns)
{
	step_limit_spend(all->cpu_cnt);
	for (size_t i = 0; i < all->cpu_cnt; i++) {
		if (all->cpu[i] && step_limit_spend(STEPS_OF_CPU))
			trim_cpu(all, all->cpu[i], horizon_ns);
	}
}
