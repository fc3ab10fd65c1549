/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements `ipctrace doctor`, which examines the machine and writes the diagnosis. Most of the
 * examinations are in the other files of this folder. The one that needs libbpf is here: whether
 * the kernel has the BTF types, tracepoints and BPF timers that ipctrace uses.
 */
#include "command/commands.h"
#include "command/doctor/diagnosis.h"
#include "command/host.h"
#include "command/output.h"
#include "tracer/kernel_traits.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/rights.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TYPES "/sys/kernel/btf/vmlinux"

/* The tracepoints, and what is lost without each. */
static const struct feature events[] = {
#define EVERYTHING                                                                                 \
	HEALTH_MISSING, "nothing can be traced", "use a kernel with CONFIG_FTRACE",                \
		COMPONENTS_ALL, 0, CONCERN_BOTH
	{"sched_switch", EVERYTHING},
	{"sched_waking", EVERYTHING},
	{"sched_wakeup", EVERYTHING},
	{"sched_migrate_task", EVERYTHING},
	{"task_newtask", EVERYTHING},
	{"sys_enter", EVERYTHING},
	{"sys_exit", EVERYTHING},
	{"irq_handler_entry", EVERYTHING},
	{"irq_handler_exit", EVERYTHING},
	{"softirq_entry", EVERYTHING},
	{"softirq_exit", EVERYTHING},
#undef EVERYTHING
	{"sched_exit_tp", HEALTH_LIMITED,
	 "the end of a context switch is not shown: its time is in receive",
	 "use Linux 6.16 or newer", COMPONENT_BIT(COMPONENT_SWITCH), 0, CONCERN_BOTH},
#define TIMEOUTS                                                                                   \
	HEALTH_LIMITED, "explanations do not say that a thread slept until its own timeout",       \
		"use a kernel with the timer tracepoints", 0, 0, CONCERN_BOTH
	{"hrtimer_start", TIMEOUTS},
	{"timer_start", TIMEOUTS},
#undef TIMEOUTS
#define DISKS                                                                                      \
	HEALTH_LIMITED,                                                                            \
		"explanations do not say what kept the disk busy for which a thread slept",        \
		"use Linux 5.11 or newer, with block devices and tracepoints", 0, 0, CONCERN_BOTH
	{"block_rq_insert", DISKS},
	{"block_rq_issue", DISKS},
	{"block_rq_complete", DISKS},
#undef DISKS
#define RECLAIM                                                                                    \
	HEALTH_LIMITED, "explanations do not say that a thread freed memory itself",               \
		"use a kernel with the vmscan tracepoints and memory control groups", 0, 0,        \
		CONCERN_BOTH
	{"mm_vmscan_direct_reclaim_begin", RECLAIM},
	{"mm_vmscan_direct_reclaim_end", RECLAIM},
	{"mm_vmscan_memcg_reclaim_begin", RECLAIM},
	{"mm_vmscan_memcg_reclaim_end", RECLAIM},
#undef RECLAIM
	{"balance_dirty_pages", HEALTH_LIMITED,
	 "explanations do not say that the kernel held writes back, as too many pages were dirty",
	 "use a kernel with the writeback tracepoints", 0, 0, CONCERN_BOTH},
#define COMPACTION                                                                                 \
	HEALTH_LIMITED, "explanations do not say that a thread moved pages to make room",          \
		"use a kernel with compaction", 0, 0, CONCERN_BOTH
	{"mm_compaction_begin", COMPACTION},
	{"mm_compaction_end", COMPACTION},
#undef COMPACTION
#define SOCKETS                                                                                    \
	HEALTH_LIMITED,                                                                            \
		"system calls are traced instead of socket events: io_uring is not seen, and "     \
		"--level light is refused",                                                        \
		"use Linux 6.3 or newer", 0, 0, CONCERN_BOTH
	{"sk_data_ready", SOCKETS},
	{"sock_send_length", SOCKETS},
	{"sock_recv_length", SOCKETS},
#undef SOCKETS
	{"skb_copy_datagram_iovec", HEALTH_MISSING, "unix datagrams cannot be traced",
	 "use --transport uds-stream", 0,
	 TRANSPORT_BIT(TRANSPORT_UDS) | TRANSPORT_BIT(TRANSPORT_UDS_SEQPACKET), CONCERN_RUN_MORE},
	{"sched_wakeup_new", HEALTH_LIMITED, "ipctrace attach cannot follow new threads",
	 "use ipctrace run", 0, 0, CONCERN_ATTACH},
	{"tcp_retransmit_skb", HEALTH_LIMITED,
	 "explanations do not show that TCP has sent data again", "use Linux 4.16 or newer", 0, 0,
	 CONCERN_BOTH},
#define LOCKS                                                                                      \
	HEALTH_LIMITED, "explanations do not say that a thread waited for a lock of the kernel",   \
		"use Linux 5.19 or newer", 0, 0, CONCERN_BOTH
	{"contention_begin", LOCKS},
	{"contention_end", LOCKS},
#undef LOCKS
	{"udp_fail_queue_rcv_skb", HEALTH_LIMITED, "it may not be known why a datagram was dropped",
	 "use a kernel with this tracepoint", 0, 0, CONCERN_BOTH},
	{"inet_sock_set_state", HEALTH_LIMITED,
	 "ipctrace attach does not show for how long TCP connections wait to be accepted",
	 "use Linux 4.16 or newer", 0, 0, CONCERN_ATTACH},
	{"tcp_retransmit_synack", HEALTH_LIMITED,
	 "ipctrace attach does not show connections that still wait for room in an accept queue",
	 "use Linux 4.16 or newer", 0, 0, CONCERN_ATTACH},
	{"sched_process_exec", HEALTH_LIMITED, "ipctrace attach cannot follow new programs",
	 "use ipctrace run", 0, 0, CONCERN_ATTACH},
};

#define EVENT_CNT (sizeof(events) / sizeof(events[0]))

static void examine_events(const struct btf *types, struct diagnosis *diagnosis)
{
	char subject[64];
	size_t there = 0;

	for (size_t i = 0; i < EVENT_CNT; i++)
		there += tracepoint_is_there(types, events[i].name);
	diagnosis_add(diagnosis, HEALTH_FINE, "tracepoints", "%zu of %zu", there, EVENT_CNT);
	for (size_t i = 0; i < EVENT_CNT; i++) {
		if (tracepoint_is_there(types, events[i].name))
			continue;
		snprintf(subject, sizeof(subject), "tracepoint %s", events[i].name);
		diagnosis_add_lacking(diagnosis, &events[i], subject, "not in this kernel");
	}
}

/* PREEMPT_RT has no BPF timers, whatever its types show; see examine_preemption(). */
static void examine_timers(const struct btf *types, struct diagnosis *diagnosis)
{
	bool there = btf__find_by_name_kind(types, "bpf_timer_init", BTF_KIND_FUNC) > 0;
	struct finding *finding = diagnosis_add(
		diagnosis, there ? HEALTH_FINE : HEALTH_LIMITED, "BPF timers",
		there ? "known to the kernel" : "not in this kernel, but in Linux 5.15 and newer");

	finding->concern = CONCERN_RUN;
	if (there)
		return;
	finding_cost(finding, NO_TIMERS_REMEDY, NO_TIMERS_COST);
	finding->transports = TRANSPORT_BIT(TRANSPORT_KERNEL);
}

static int doctor_print_nothing(enum libbpf_print_level level, const char *format,
				va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

/* NULL and errno: there are none. Silences libbpf, because the finding says the same. */
static struct btf *read_types(const char *root)
{
	libbpf_print_fn_t before = libbpf_set_print(doctor_print_nothing);
	char path[PATH_MAX];
	struct btf *types;
	int err;

	snprintf(path, sizeof(path), "%s%s", root, TYPES);
	types = btf__parse(path, NULL);
	err = errno;
	libbpf_set_print(before);
	errno = err;
	return types;
}

/* `err` is positive. */
static void explain_lack(int err, struct diagnosis *diagnosis)
{
	char memory[MEMORY_REMEDY_LEN];
	const char *remedy = "use a kernel with CONFIG_DEBUG_INFO_BTF, as distributions' are; "
			     "or, for ipctrace run, --btf FILE";
	struct finding *finding =
		diagnosis_add(diagnosis, HEALTH_MISSING, "kernel's types", "%s %s",
			      err == ENOMEM ? "no memory to read" : "no", TYPES);

	finding->components = COMPONENTS_ALL;
	finding_cost(finding, err == ENOMEM ? memory_remedy(memory) : remedy,
		     "nothing can be traced");
}

static void examine_tracepoints(const char *root, struct diagnosis *diagnosis)
{
	struct btf *types = read_types(root);

	if (!types) {
		explain_lack(errno, diagnosis);
		return;
	}
	diagnosis_add(diagnosis, HEALTH_FINE, "kernel's types", "%s (BTF)", TYPES);
	examine_events(types, diagnosis);
	examine_timers(types, diagnosis);
	btf__free(types);
}

/* The areas stand in the output in the order in which they come here. */
static const struct examination {
	const char *name, *area;
	examine_fn *examine;
} examinations[] = {
	{"capabilities", "rights", examine_capabilities},
	{"PID namespace", "rights", examine_pid_namespace},
	{"lockdown", "rights", examine_lockdown},
	{"kernel configuration", "kernel", examine_configuration},
	{"tracepoints", "kernel", examine_tracepoints},
	{"BPF limits", "kernel", examine_bpf_limits},
	{"tracefs", "kernel", examine_tracefs},
	{"preemption", "kernel", examine_preemption},
	{"real-time limits", "settings", examine_realtime},
	{"clock", "kernel", examine_clock},
	{"sockets", "settings", examine_sockets},
	{"queues", "settings", examine_queues},
};

static void examine_all(struct diagnosis *diagnosis)
{
	host_describe(&diagnosis->host);
	for (size_t i = 0; i < sizeof(examinations) / sizeof(examinations[0]); i++) {
		size_t before = diagnosis->finding_cnt;

		log_info("examining this machine: %s", examinations[i].name);
		examinations[i].examine("", diagnosis);
		for (size_t j = before; j < diagnosis->finding_cnt; j++)
			diagnosis->finding[j].area = examinations[i].area;
	}
}

int doctor_run(const struct doctor_options *options)
{
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));
	bool fine;

	if (!diagnosis) {
		log_error("cannot examine this machine: its findings: %s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	examine_all(diagnosis);
	rights_drop();
	fine = !output_write(&options->output, "diagnosis", diagnosis_text, diagnosis_json,
			     diagnosis) &&
	       diagnosis_works(diagnosis, JOB_RUN);
	free(diagnosis);
	return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
