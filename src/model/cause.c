/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the parts of calls and the reasons of causes, and puts culprits of one name together. */
#include "model/cause.h"

#include <string.h>

/* The name that all kernel threads called kworker/... have in common. */
#define KWORKER  "kworker"
#define IPCTRACE "ipctrace"

const char *const cause_part_names[NR_CAUSE_PARTS] = {
	[PART_CONNECT] = "connect",   [PART_REQUEST] = "request", [PART_SERVICE] = "service",
	[PART_RESPONSE] = "response", [PART_QUEUE] = "queue",
};

const struct cause_reason_info cause_reasons[NR_CAUSE_REASONS] = {
	[REASON_SPARE_FORBIDDEN] =
		{
			.name = "idle_cpu_forbidden",
			.does = "waits for %p behind %b, while %i idles, which it may not use",
			.label = "behind %b, %i idle but not allowed",
		},
	[REASON_SPARE_ALLOWED] =
		{
			.name = "idle_cpu",
			.does = "waits for %p behind %b, while %i idles, which it may use",
			.label = "behind %b, %i idle",
		},
	[REASON_CIRCLE] =
		{
			.name = "circle",
			.does = "waits for room%c at %b, which waits for it: a circle",
			.label = "for room%c at %b: a circle",
		},
	[REASON_CIRCLE_CALL] =
		{
			.name = "circle_of_calls",
			.does = "waits%c for an answer of %b, which waits for it: a circle, until "
				"its own timeout%t ends",
			.label = "%c for an answer of %b: a circle, until its own timeout%t",
		},
	[REASON_CIRCLE_SELF] =
		{
			.name = "circle_of_itself",
			.does = "waits%c for itself to answer: a circle, until its own timeout%t "
				"ends",
			.label = "%c for itself to answer: a circle, until its own timeout%t",
		},
	[REASON_TIMEOUT] =
		{
			.name = "timeout",
			.does = "sleeps%c until its own timeout%t ends",
			.label = "%c until its own timeout%t",
		},
	[REASON_TRIED] =
		{
			.name = "tried",
			.does = "sleeps%c until its own timeout%t ends, after%e",
			.label = "%c, after%e",
		},
	[REASON_TIMEOUT_DATA] =
		{
			.name = "timeout_data",
			.does = "sleeps%c until its own timeout%t ends, although the data are "
				"there",
			.label = "%c until its own timeout%t, data ready",
		},
	[REASON_SLACK] =
		{
			.name = "slack",
			.does = "sleeps%c longer than it asked for, by a timer slack%t",
			.label = "timer slack%t%c",
		},
	[REASON_RESERVE] =
		{
			.name = "reserve",
			.does = "waits for %p behind %b, though it is a real-time thread: the "
				"kernel reserves time for ordinary ones (fair server; before Linux "
				"6.12, sched_rt_runtime_us)",
			.label = "behind %b, the kernel's reserve",
		},
	[REASON_IN_VAIN] =
		{
			.name = "in_vain",
			.does = "waits for %p behind %b, woken in vain",
			.label = "behind %b, woken in vain",
		},
	[REASON_DISK_PAGE] =
		{
			.name = "disk_page",
			.does = "sleeps until memory that is not there has been read from %d",
			.label = "until memory has been read from %d",
		},
	[REASON_DISK] =
		{
			.name = "disk",
			.does = "sleeps%c for %d",
			.label = "%c for %d",
		},
	[REASON_DISK_BUSY] =
		{
			.name = "disk_busy",
			.does = "sleeps%c for %d, which is busy with requests of %b",
			.label = "%c for %d, busy for %b",
		},
	[REASON_DISK_KERNEL] =
		{
			.name = "disk_kernel",
			.does = "sleeps%c for %d, which is busy with requests of the kernel (%b) "
				"for a program that is not known",
			.label = "%c for %d, busy for the kernel (%b)",
		},
	[REASON_RECLAIM] =
		{
			.name = "reclaim",
			.does = "frees memory itself%c, because it needs some (direct reclaim)",
			.label = "%c freeing memory (direct reclaim)",
		},
	[REASON_RECLAIM_GROUP] =
		{
			.name = "reclaim_group",
			.does = "frees memory itself%c, for the limit of its control group (direct "
				"reclaim)",
			.label = "%c freeing memory for the control group's limit",
		},
	[REASON_DIRTY] =
		{
			.name = "dirty_pages",
			.does = "is held back%c by the kernel, as too many pages are dirty",
			.label = "%c held back: too many dirty pages",
		},
	[REASON_NAGLE] =
		{
			.name = "nagle",
			.does = "wait in the sender's socket (Nagle) until the receiver "
				"acknowledges what was sent before",
			.subject = "the data",
			.label = "Nagle, until an acknowledgement",
		},
	[REASON_DELAYED_ACK] =
		{
			.name = "delayed_ack",
			.does = "wait in the sender's socket (Nagle) until the receiver's delayed "
				"acknowledgement",
			.subject = "the data",
			.label = "Nagle, until a delayed acknowledgement",
		},
	[REASON_CORK] =
		{
			.name = "cork",
			.does = "wait in the sender's socket for more to be sent (TCP_CORK or "
				"MSG_MORE)",
			.subject = "the data",
			.label = "corked (TCP_CORK or MSG_MORE)",
		},
	[REASON_CONGESTION] =
		{
			.name = "congestion_window",
			.does = "wait in the sender's socket until TCP's congestion window allows "
				"more under way",
			.subject = "the data",
			.label = "congestion window",
		},
	[REASON_PACING] =
		{
			.name = "pacing",
			.does = "wait in the sender's socket, whose rate is limited (pacing)",
			.subject = "the data",
			.label = "pacing",
		},
	[REASON_DEVICE] =
		{
			.name = "device_queue",
			.does = "wait in the queue (qdisc) of the sender's network device",
			.subject = "the data",
			.label = "queue (qdisc) of a network device",
		},
	[REASON_RETRANSMIT] =
		{
			.name = "retransmission",
			.does = "arrive only after TCP has sent data again, because no "
				"acknowledgement came",
			.subject = "the data",
			.label = "TCP sends data again",
		},
	[REASON_UNDER_WAY] =
		{
			.name = "under_way",
			.does = "are under way or wait in the sender's socket, after the send call",
			.subject = "the data",
			.label = "after the send call",
		},
	[REASON_SHORT_CALLS] =
		{
			.name = "short_calls",
			.does = "is%c again and again, on a CPU",
			.label = "%c, many short calls",
		},
	[REASON_CALLS_AGAIN] =
		{
			.name = "calls_again",
			.does = "tries again and again%c in vain, on a CPU: there is nothing, or "
				"no room (EAGAIN)",
			.label = "%c, again and again in vain (EAGAIN)",
		},
	[REASON_CALLS_FAIL] =
		{
			.name = "calls_fail",
			.does = "tries again and again%c, on a CPU, which fails",
			.label = "%c, again and again, which fails",
		},
	[REASON_FROZEN] =
		{
			.name = "frozen",
			.does = "is frozen with its control group%u",
			.label = "frozen%u",
		},
	[REASON_TRACED] =
		{
			.name = "traced",
			.does = "is stopped by a debugger (ptrace)%u",
			.label = "stopped by a debugger%u",
		},
	[REASON_SEND_BUFFER] =
		{
			.name = "send_buffer",
			.does = "waits%c for acknowledgements, as its own send buffer (SO_SNDBUF) "
				"is full",
			.label = "own send buffer full",
		},
	[REASON_KERNEL_SPIN] =
		{
			.name = "kernel_spinlock",
			.does = "waits%c for a lock of the kernel (spinlock)%f",
			.label = "a spinlock of the kernel%f",
		},
	[REASON_KERNEL_MUTEX] =
		{
			.name = "kernel_mutex",
			.does = "waits%c for a lock of the kernel (mutex)%f%u",
			.label = "a mutex of the kernel%f%u",
		},
	[REASON_KERNEL_RWSEM] =
		{
			.name = "kernel_rwsem",
			.does = "waits%c for a lock of the kernel (rwsem)%f%u",
			.label = "a rwsem of the kernel%f%u",
		},
	[REASON_KERNEL_SEMAPHORE] =
		{
			.name = "kernel_semaphore",
			.does = "waits%c for a semaphore of the kernel%f%u",
			.label = "a semaphore of the kernel%f%u",
		},
	[REASON_ACCEPT_QUEUE] =
		{
			.name = "accept_queue",
			.does = "waits for room in the accept queue of %b",
			.label = "for room in the accept queue of %b",
		},
	[REASON_NO_ANSWER] =
		{
			.name = "no_answer",
			.does = "waits until TCP has sent a segment of the handshake again, "
				"because no answer came",
			.label = "no answer in the handshake, sent again",
		},
};

const char *const cause_role_names[NR_CAUSE_ROLES] = {
	[CAUSE_ITSELF] = "itself", [CAUSE_UNKNOWN] = "unknown", [CAUSE_RAN] = "ran",
	[CAUSE_INSIDE] = "inside", [CAUSE_WOKE] = "woke",       [CAUSE_KEPT] = "kept",
	[CAUSE_READER] = "reader",
};

bool culprit_is_folded(const struct blame *by)
{
	return by->class == BLAME_IPCTRACE || (by->kind == SLICE_TASK && by->comm[0]);
}

struct blame culprit_folded(const struct blame *by)
{
	struct blame one = {.class = by->class, .kind = by->kind, .cpu = BLAME_CPU_SEVERAL};

	/* Its threads have several names and priorities, and are called "ipctrace itself". */
	if (by->class == BLAME_IPCTRACE) {
		memcpy(one.comm, IPCTRACE, sizeof(IPCTRACE));
		return one;
	}
	one.policy = by->policy;
	one.priority = by->priority;
	if (!culprit_is_folded(by))
		one.tid = by->tid;
	/* What follows the end of the name may be anything, so only the name is copied. */
	if (by->kind == SLICE_TASK && by->class == BLAME_KTHREAD &&
	    !strncmp(by->comm, KWORKER "/", sizeof(KWORKER "/") - 1))
		memcpy(one.comm, KWORKER, sizeof(KWORKER));
	else
		memcpy(one.comm, by->comm, strnlen(by->comm, sizeof(one.comm) - 1));
	return one;
}

struct blame culprit_folded_by_name(const struct blame *by)
{
	struct blame one = culprit_folded(by);

	if (one.class == BLAME_SERVER || one.class == BLAME_CLIENT)
		one.class = BLAME_TASK;
	one.policy = one.priority = 0;
	return one;
}

bool culprit_is_same(const struct blame *a, const struct blame *b)
{
	return a->class == b->class && a->kind == b->kind && a->tid == b->tid &&
	       a->policy == b->policy && a->priority == b->priority &&
	       !strncmp(a->comm, b->comm, sizeof(a->comm));
}
