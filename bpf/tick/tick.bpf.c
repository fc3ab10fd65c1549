/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends the messages of the transport "kernel" from a timer. Each time the timer expires, it
 * writes the time into memory that all clients map, and then wakes all clients. The timer expires
 * in a softirq at multiples of the period. The timer skips the periods that it misses.
 *
 * To wake the clients, the timer writes a record with unused contents into a ring buffer.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "tick.h"

#define EINVAL 22

struct clockwork {
	struct bpf_timer timer;
	u64 period_ns;
	u64 due_ns;   /* of the next tick */
	u64 relative; /* the kernel has no absolute timers */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct clockwork);
} clockworks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct tick_page);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, TICK_BELL_SIZE);
} bell SEC(".maps");

static struct tick_page *page_get(void)
{
	u32 key = 0;

	return bpf_map_lookup_elem(&pages, &key);
}

static void bell_ring(void)
{
	u64 nothing = 0;

	bpf_ringbuf_output(&bell, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

/* Linux 6.4 introduced timers with an absolute expiry. A relative one is late by the way there. */
static long timer_start(struct clockwork *clockwork)
{
	u64 now_ns;

	if (!clockwork->relative)
		return bpf_timer_start(&clockwork->timer, clockwork->due_ns, BPF_F_TIMER_ABS);
	now_ns = bpf_ktime_get_ns();
	return bpf_timer_start(&clockwork->timer,
			       clockwork->due_ns > now_ns ? clockwork->due_ns - now_ns : 0, 0);
}

static void tick_publish(struct tick_page *page, const struct clockwork *clockwork, u64 stamp_ns)
{
	u64 round = page->rounds;
	struct tick *tick = &page->ticks[round & (TICKS_CNT - 1)];

	tick->due_ns = clockwork->due_ns;
	tick->stamp_ns = stamp_ns;
	tick->queued_ns = bpf_ktime_get_ns();
	/* A full barrier, too: a client that sees the round sees the tick. */
	__sync_lock_test_and_set(&page->rounds, round + 1);
}

/* Skips the ticks that have passed as a whole. */
static void due_advance(struct clockwork *clockwork)
{
	u64 now_ns = bpf_ktime_get_ns();

	clockwork->due_ns += clockwork->period_ns;
	if (now_ns > clockwork->due_ns)
		clockwork->due_ns +=
			(now_ns - clockwork->due_ns) / clockwork->period_ns * clockwork->period_ns;
}

static int on_tick(void *map, u32 *key, struct clockwork *clockwork)
{
	u64 stamp_ns = bpf_ktime_get_ns();
	struct tick_page *page = page_get();

	if (!page || page->stopped)
		return 0;
	tick_publish(page, clockwork, stamp_ns);
	bell_ring();
	due_advance(clockwork);
	timer_start(clockwork);
	return 0;
}

/* The first tick is a period from now. 0 or -errno. */
SEC("syscall")
int tick_start(struct tick_request *request)
{
	u32 key = 0;
	struct clockwork *clockwork = bpf_map_lookup_elem(&clockworks, &key);
	long err;

	if (!clockwork || !request->period_ns)
		return -EINVAL;
	err = bpf_timer_init(&clockwork->timer, &clockworks, CLOCK_MONOTONIC);
	if (!err)
		err = bpf_timer_set_callback(&clockwork->timer, on_tick);
	if (err)
		return err;
	clockwork->period_ns = request->period_ns;
	clockwork->due_ns = bpf_ktime_get_ns() + request->period_ns;
	err = timer_start(clockwork);
	if (err) {
		clockwork->relative = 1;
		err = timer_start(clockwork);
	}
	return err;
}

/* No tick follows, and the clients can see that. */
SEC("syscall")
int tick_stop(void *context)
{
	u32 key = 0;
	struct clockwork *clockwork = bpf_map_lookup_elem(&clockworks, &key);
	struct tick_page *page = page_get();

	if (!clockwork || !page)
		return -EINVAL;
	__sync_lock_test_and_set(&page->stopped, 1);
	bpf_timer_cancel(&clockwork->timer);
	bell_ring();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
