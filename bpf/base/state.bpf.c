/* SPDX-License-Identifier: GPL-2.0 */
/* The maps and counters that all programs share. */
#include "base/state.bpf.h"

struct tasks_map tasks SEC(".maps");
#ifdef LEGACY
struct blank_map blank SEC(".maps");
struct channel_ids_map channel_ids SEC(".maps");
#endif
struct cpus_map cpus SEC(".maps");
struct channels_map channels SEC(".maps");
struct names_map names SEC(".maps");
struct ports_map ports SEC(".maps");
struct takes_map takes_of SEC(".maps");
struct ring_map ring SEC(".maps");

u64 losses[NR_LOSSES];
u32 channel_cnt;
u32 takes_under_way;
u64 armed_ns;
u64 is_surveyed;
u64 disarmed_ns;
u64 pid_ns;
u32 pid_ns_level;

const volatile bool from_workload = false;
const volatile bool has_sched_exit = false;
const volatile bool trace_inet = false;
const volatile bool trace_udp = false;
const volatile bool trace_pipes = false;
const volatile bool trace_queues = false;
const volatile bool waking_tells = false;
const volatile bool attach = false;
const volatile u32 self_pid = 0;
const volatile bool has_task_iter = false;
const volatile bool can_preempt = false;
const volatile bool by_calls = false;
const volatile bool can_cast = false;
const volatile bool light = false;
const volatile bool in_pid_ns = false;

char LICENSE[] SEC("license") = "GPL";
