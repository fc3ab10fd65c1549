/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which BPF programs are loaded. A table lists programs that are not always needed. */
#include "tracer/programs.h"

#include <string.h>

#define UNIX_MESSAGES (1u << TRANSPORT_UDS | 1u << TRANSPORT_UDS_SEQPACKET)
#define ANY           (~0u)

/* From so many arguments on, the last one of kfree_skb is the socket. */
#define DROP_SHOWS_SOCKET 4

/* How many arguments balance_dirty_pages has, on newer kernels and on older ones. */
#define DIRTY_ARGUMENTS     8
#define DIRTY_ARGUMENTS_OLD 12

/* When a program is loaded: if any of these holds. */
enum {
	ON_EVENTS = 1,   /* the kernel has socket events */
	ON_SYSCALLS = 2, /* it has none, so programs at syscalls replace them */
	ON_ATTACH = 4,
	ON_DEEP = 8,
	ON_DEEP_CPU_IRQS = 16,      /* deep, and the kernel shows the CPU's own interrupts */
	ON_DEEP_IDLE = 32,          /* deep, and the kernel shows when a CPU is idle */
	ON_DEEP_TIMERS = 64,        /* deep, and the kernel shows when timers are started */
	ON_RETRANSMIT = 128,        /* the kernel shows that TCP sends data again */
	ON_CONNECTIONS = 256,       /* connections are recorded */
	ON_RUN_CONNECTIONS = 512,   /* the same in a run, by events of the kernel */
	ON_FAILED_QUEUE = 1024,     /* attach; kfree_skb does not show the socket, and this does */
	ON_DEEP_LOCKS = 2048,       /* deep, and the kernel shows waits for its locks */
	ON_DEEP_DISKS = 8192,       /* deep, and the kernel shows requests to disks */
	ON_DEEP_RECLAIM = 16384,    /* deep, and the kernel shows that a thread frees memory */
	ON_DEEP_COMPACTION = 32768, /* deep, and the kernel shows that a thread moves pages */
	ON_DEEP_DIRTY = 65536,      /* deep, and the kernel shows that it holds writes back, ... */
	ON_DEEP_DIRTY_OLD = 131072, /* ... or does so with more arguments */
	ON_ATTACH_ANSWERS = 4096, /* attach, and the kernel shows that it answers a connect again */
};

/* Programs that are not always needed. */
static const struct part {
	const char *program;
	uint32_t transports; /* 1 << enum transport_id of the transports that need it */
	uint32_t when;
} parts[] = {
	{"on_unix_ready", TRANSPORTS_UNIX, ON_EVENTS},
	{"on_inet_ready", TRANSPORTS_INET, ON_EVENTS},
	{"on_send_length", TRANSPORTS_SOCKETS, ON_EVENTS},
	{"on_recv_length", TRANSPORTS_SOCKETS, ON_EVENTS},
	{"on_copy_datagram", UNIX_MESSAGES, ON_EVENTS},
	{"on_socket_call_exit", TRANSPORTS_SOCKETS, ON_SYSCALLS},
	{"on_socket_copy", UNIX_MESSAGES, ON_SYSCALLS},
	{"on_socket_consume", TRANSPORTS_UDP, ON_SYSCALLS},
	{"on_tcp_probe", TRANSPORTS_TCP, ON_SYSCALLS},
	{"on_net_dev_queue", TRANSPORTS_UDP, ON_SYSCALLS | ON_ATTACH},
	{"on_kfree_skb", TRANSPORTS_UDP, ON_SYSCALLS | ON_ATTACH},
	{"on_udp_fail", TRANSPORTS_UDP, ON_FAILED_QUEUE},
	{"on_tcp_retransmit", TRANSPORTS_TCP, ON_RETRANSMIT},
	{"on_inet_state", TRANSPORTS_TCP, ON_CONNECTIONS},
	{"on_listener_ready", TRANSPORTS_UNIX, ON_RUN_CONNECTIONS},
	{"on_tcp_answer_again", TRANSPORTS_TCP, ON_ATTACH_ANSWERS},
	{"find_ends", ANY, ON_ATTACH},
	{"find_peers", ANY, ON_ATTACH},
	{"mark_threads", ANY, ON_ATTACH},
	{"find_starving", ANY, ON_ATTACH},
	{"find_asleep", ANY, ON_ATTACH},
	{"on_sched_exec", ANY, ON_ATTACH},
	{"on_task_rename", ANY, ON_ATTACH},
	{"on_leaves_cpu", ANY, ON_DEEP},
	{"on_waker", ANY, ON_DEEP},
	{"on_call_enter", ANY, ON_DEEP},
	{"on_call_exit", ANY, ON_DEEP},
	{"on_softirq_raise", ANY, ON_DEEP},
	{"on_hrtimer_start", ANY, ON_DEEP_TIMERS},
	{"on_timer_start", ANY, ON_DEEP_TIMERS},
	{"on_lock_begin", ANY, ON_DEEP_LOCKS},
	{"on_lock_end", ANY, ON_DEEP_LOCKS},
	{"on_cpu_idle", ANY, ON_DEEP_IDLE},
	{"on_disk_insert", ANY, ON_DEEP_DISKS},
	{"on_disk_issue", ANY, ON_DEEP_DISKS},
	{"on_disk_complete", ANY, ON_DEEP_DISKS},
	{"on_reclaim_begin", ANY, ON_DEEP_RECLAIM},
	{"on_reclaim_end", ANY, ON_DEEP_RECLAIM},
	{"on_reclaim_memcg_begin", ANY, ON_DEEP_RECLAIM},
	{"on_reclaim_memcg_end", ANY, ON_DEEP_RECLAIM},
	{"on_reclaim_compact_begin", ANY, ON_DEEP_COMPACTION},
	{"on_reclaim_compact_end", ANY, ON_DEEP_COMPACTION},
	{"on_dirty_of_eight", ANY, ON_DEEP_DIRTY},
	{"on_dirty_of_twelve", ANY, ON_DEEP_DIRTY_OLD},
	{"on_cpu_timer_entry", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_timer_exit", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_reschedule_entry", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_reschedule_exit", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_call_entry", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_call_exit", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_call_single_entry", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_call_single_exit", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_work_entry", ANY, ON_DEEP_CPU_IRQS},
	{"on_cpu_work_exit", ANY, ON_DEEP_CPU_IRQS},
};

#define ON_SWITCH       "on_sched_switch"
#define ON_STACK        "on_stack"
#define ON_CALL         "on_call_"
#define ON_LOCK         "on_lock_"
#define ON_DISK         "on_disk_"
#define ON_RECLAIM      "on_reclaim_"
#define ON_DIRTY        "on_dirty_"
#define ON_STACK_SWITCH "on_stack_switch"

/* Exactly one program with each of the names above has its end here. */
static const char *const switch_variant[] = {
	[SWITCH_STATE_LAST] = "",
	[SWITCH_STATE_SECOND] = "_state_second",
	[SWITCH_WITHOUT_STATE] = "_without_state",
};

static bool is_suffix_of_twin(const char *text)
{
	return !strcmp(text, "_twin") || !strcmp(text, "_third");
}

bool program_is_twin(const char *name)
{
	const char *end = strrchr(name, '_');

	return end && is_suffix_of_twin(end);
}

static bool begins_with(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

/*
 * What takes stacks emits no records. Without the record of a call, a request or a reclaim, the
 * time there has no name.
 */
bool program_misses_nothing(const char *name, const struct kernel_traits *traits)
{
	return begins_with(name, ON_STACK) || begins_with(name, ON_CALL) ||
	       begins_with(name, ON_LOCK) || begins_with(name, ON_DISK) ||
	       begins_with(name, ON_RECLAIM) || begins_with(name, ON_DIRTY) ||
	       ((!strcmp(name, "on_unix_ready") || !strcmp(name, "on_listener_ready")) &&
		!traits->can_preempt);
}

bool programs_waking_shows_data(const struct tracer_spec *spec, const struct kernel_traits *traits)
{
	uint32_t transports = TRANSPORTS_PIPES | TRANSPORTS_QUEUES |
			      (traits->by_syscalls ? TRANSPORTS_SOCKETS : 0);

	return transports & spec->transports;
}

/*
 * A receiver can fall asleep while its message arrives. The start of its wakeup shows whether it
 * slept for this message.
 */
static bool needs_waking(const struct tracer_spec *spec, const struct kernel_traits *traits)
{
	return !spec->ticks || programs_waking_shows_data(spec, traits);
}

/* Whether `name` is this program, or a twin of it. */
static bool is_called(const char *name, const char *program)
{
	size_t length = strlen(program);

	return !strncmp(name, program, length) &&
	       (!name[length] || is_suffix_of_twin(name + length));
}

static bool is_at_syscalls(const char *name)
{
	return is_called(name, "on_sys_enter") || is_called(name, "on_sys_exit");
}

/* Whether this program at sched_switch is the one for this kernel. */
static bool is_variant(const char *name, const char *program, const struct kernel_traits *traits)
{
	return !strcmp(name + strlen(program), switch_variant[traits->switch_state]);
}

bool programs_take_stacks(const struct tracer_spec *spec, const struct kernel_traits *traits)
{
	return spec->stacks_ns && traits->shows_stacks;
}

static uint32_t events_of(const struct tracer_spec *spec, const struct kernel_traits *traits)
{
	uint32_t events = traits->by_syscalls ? ON_SYSCALLS : ON_EVENTS;

	if (spec->attach)
		events |= ON_ATTACH;
	if (spec->connections && traits->shows_states)
		events |= ON_CONNECTIONS;
	if (spec->connections && !spec->attach && !spec->no_syscalls && !traits->by_syscalls)
		events |= ON_RUN_CONNECTIONS;
	if (spec->attach && traits->shows_failed_queue &&
	    traits->drop_arguments < DROP_SHOWS_SOCKET)
		events |= ON_FAILED_QUEUE;
	if (spec->attach && traits->shows_answers)
		events |= ON_ATTACH_ANSWERS;
	if (traits->shows_retransmit)
		events |= ON_RETRANSMIT;
	if (!spec->deep)
		return events;
	if (traits->shows_locks)
		events |= ON_DEEP_LOCKS;
	return events | ON_DEEP | (traits->shows_cpu_irqs ? ON_DEEP_CPU_IRQS : 0) |
	       (traits->shows_idle ? ON_DEEP_IDLE : 0) |
	       (traits->shows_timers ? ON_DEEP_TIMERS : 0) |
	       (traits->shows_disks ? ON_DEEP_DISKS : 0) |
	       (traits->shows_reclaim ? ON_DEEP_RECLAIM : 0) |
	       (traits->dirty_arguments == DIRTY_ARGUMENTS ? ON_DEEP_DIRTY : 0) |
	       (traits->dirty_arguments == DIRTY_ARGUMENTS_OLD ? ON_DEEP_DIRTY_OLD : 0) |
	       (traits->shows_compaction ? ON_DEEP_COMPACTION : 0);
}

bool program_is_needed(const char *name, const struct tracer_spec *spec,
		       const struct kernel_traits *traits)
{
	uint32_t now = events_of(spec, traits);

	if (program_is_twin(name) && !traits->can_preempt)
		return false;
	if (spec->no_syscalls && (is_at_syscalls(name) || is_called(name, "on_inet_state")))
		return false;
	if (begins_with(name, ON_SWITCH))
		return is_variant(name, ON_SWITCH, traits);
	if (begins_with(name, ON_STACK_SWITCH))
		return programs_take_stacks(spec, traits) &&
		       is_variant(name, ON_STACK_SWITCH, traits);
	if (begins_with(name, ON_STACK))
		return programs_take_stacks(spec, traits);
	if (is_called(name, "on_sched_exit"))
		return traits->shows_switch;
	if (is_called(name, "on_sched_free"))
		return traits->legacy;
	if (is_called(name, "find_pid_ns"))
		return traits->in_pid_ns;
	if (is_called(name, "on_uring_complete"))
		return traits->shows_uring && spec->attach && spec->transports & TRANSPORTS_PIPES;
	if (is_called(name, "on_sched_waking"))
		return needs_waking(spec, traits);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (is_called(name, parts[i].program))
			return parts[i].transports & spec->transports && parts[i].when & now;
	}
	return true;
}
