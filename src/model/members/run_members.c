/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the parts of struct run_info that reports show. */
#include "model/members/members.h"

static const struct member host_rows[] = {
	{TEXT, AT(host, kernel), "kernel", "the release of the kernel"},
	{TEXT, AT(host, arch), "arch", "the architecture, as uname has it"},
	{NUMBER, AT(host, cpus), "cpus", "how many CPUs are online"},
	{TEXT, AT(host, preemption), "preemption", "the preemption model of the kernel"},
	{TEXT, AT(host, clocksource), "clocksource", "the clock source of the kernel"},
	{TEXT, AT(host, virtual_machine), "virtual",
	 "the hypervisor; yes: it has no name; no: not a virtual machine"},
};
MEMBERS(host, "The machine that was traced. null: not known.");

static bool has_priority(const struct run_info *info, const void *of)
{
	const struct workload_spec *spec = of;

	(void)info;
	return spec->sched_policy == POLICY_RR || spec->sched_policy == POLICY_FIFO;
}

static const struct member workload_spec_rows[] = {
	{TEXT, AT(workload_spec, transport), "transport", TRANSPORT_SAYS, NOT_NULL,
	 NAMES(transport_id_names)},
	{TEXT, AT(workload_spec, pattern), "pattern", "the order of sends and answers", NOT_NULL,
	 NAMES(spec_pattern_names)},
	{NUMBER, AT(workload_spec, clients), "clients", "how many clients", .least = 1},
	{NUMBER, AT(workload_spec, messages), "messages", "per client, after the warm-up",
	 .least = 1},
	{NUMBER, AT(workload_spec, warmup), "warmup",
	 "messages per client before these, in no statistic"},
	{NS, AT(workload_spec, period_ns), "period_ns",
	 "the time from tick to tick; 0: each exchange begins when the last one ends"},
	{NUMBER, AT(workload_spec, size), "size", "of one message, in bytes", .least = 1},
	{WORD, AT(workload_spec, sched_policy), "policy", "the scheduling policy",
	 NAMES(sched_policy_names)},
	{NUMBER, AT(workload_spec, server_priority), "server_priority",
	 "rr and fifo: the priority of the server", .known = has_priority},
	{NUMBER, AT(workload_spec, client_priority), "client_priority",
	 "rr and fifo: the priority of the clients", .known = has_priority},
	{TEXT, AT(workload_spec, handler), "handler", "what the server does with a request",
	 .after = "cpus"},
	{TEXT, AT(workload_spec, load), "load", "what else the machine does", "nothing",
	 .after = "handler"},
	{FLAG, AT(workload_spec, threads), "threads", "clients are threads of one process",
	 .after = "load"},
	{WORD, AT(workload_spec, reader), "reader", "the system call in which a receiver waits",
	 NAMES(reader_names), .after = "threads"},
	{NUMBER, AT(workload_spec, read_size), "read_size",
	 "bytes that one receive on a byte stream asks for", "size", IF_SET, .after = "reader"},
	{NUMBER, AT(workload_spec, run), "run", "the number of this repetition",
	 "there is only one", IF_SET, .after = "read_size"},
};
MEMBERS(workload_spec, "What a run does.");

static const struct member begin_rows[] = {
	{NUMBER, AT(begin, unix_ns), "unix_ns", "the instant in ns since 1970"},
	{NS, AT(begin, ns), "monotonic_ns",
	 "the same instant of CLOCK_MONOTONIC, the clock of all messages"},
	{SIGNED, AT(begin, utc_offset_s), "utc_offset_s",
	 "local time less UTC on the machine that recorded, in seconds"},
};
MEMBERS(begin, "When tracing began.");

static const struct member untraced_process_rows[] = {
	{NUMBER, AT(untraced_process, pid), "pid", "its process ID"},
	{TEXT, AT(untraced_process, comm), "comm", "its name", NOT_NULL},
};
MEMBERS(untraced_process);

static const struct member untraced_rows[] = {
	{NUMBER, AT(untraced, cnt), "count", "processes", .least = 1},
	{FIRST, AT(untraced, named), "named", "the first ones",
	 EACH_OF(untraced, named, untraced_process_members), CNT_AT(untraced, cnt),
	 .limits = "{\"maxItems\": 3}"},
};
MEMBERS(untraced,
	"Children of targets that have sockets or pipes, and were no targets when tracing began");
