/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A timer on each CPU that spins in its softirq for a random time, pauses for a random time, and so
 * on: what an interrupt storm, or a host that is short of CPUs, does to a machine.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EINVAL 22

/* include/uapi/linux/bpf.h */
enum { BPF_F_TIMER_CPU_PIN = 2 };

/* As many as bpf_loop() allows: the clock ends the spin long before. */
#define SPINS_MAX (1 << 23)

struct thief {
	struct bpf_timer timer;
};

/* By CPU; the loader knows how many there are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct thief);
} thieves SEC(".maps");

/* The longest theft and the longest pause, at least 1 ns: they are uniform between 0 and these. */
const volatile unsigned long long theft_ns_max = 1;
const volatile unsigned long long pause_ns_max = 1;

static u64 random_below(u64 ns)
{
	return (((u64)bpf_get_prandom_u32() << 32) | bpf_get_prandom_u32()) % ns;
}

/*
 * On the CPU that this runs on. Before Linux 6.7 a timer cannot be bound to it: the kernel then
 * leaves it there unless the CPU is idle. 0 or -errno.
 */
static long pause_begin(struct thief *thief)
{
	u64 pause_ns = random_below(pause_ns_max);
	long err = bpf_timer_start(&thief->timer, pause_ns, BPF_F_TIMER_CPU_PIN);

	return err ? bpf_timer_start(&thief->timer, pause_ns, 0) : 0;
}

/* Whether it is over, as bpf_loop() wants to know. */
static long spin(u32 i, void *until_ns)
{
	return bpf_ktime_get_ns() >= *(u64 *)until_ns;
}

static int steal(void *map, u32 *cpu, struct thief *thief)
{
	u64 until_ns = bpf_ktime_get_ns() + random_below(theft_ns_max);

	bpf_loop(SPINS_MAX, spin, &until_ns, 0);
	pause_begin(thief);
	return 0;
}

/* For the CPU that this runs on, until the map is gone. 0 or -errno. */
SEC("syscall")
int thief_start(void *context)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct thief *thief = bpf_map_lookup_elem(&thieves, &cpu);
	long err;

	if (!thief)
		return -EINVAL;
	err = bpf_timer_init(&thief->timer, &thieves, CLOCK_MONOTONIC);
	if (!err)
		err = bpf_timer_set_callback(&thief->timer, steal);
	return err ? err : pause_begin(thief);
}

char LICENSE[] SEC("license") = "GPL";
