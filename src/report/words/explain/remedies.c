/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the kind of cause that a row is of. */
#include "report/words/explain/remedies.h"

#include "model/blocked_calls.h"
#include "report/words/explain/cause_words.h"
#include "report/words/explain/sleep_calls.h"

#include <string.h>

static bool is_asleep_in(const struct explanation *explanation, const struct explain_row *row,
			 enum sleep_call kind)
{
	return sleep_call_of(explanation->info.host.arch, row->call) == kind;
}

enum remedy remedy_of_class(enum blame_class class)
{
	switch (class) {
	case BLAME_IPCTRACE:
		return REMEDY_OWN;
	case BLAME_THROTTLED:
		return REMEDY_QUOTA;
	case BLAME_STEAL:
		return REMEDY_STEAL;
	case BLAME_IDLE:
		return REMEDY_IDLE;
	case BLAME_IRQ:
	case BLAME_SOFTIRQ:
		return REMEDY_INTERRUPTS;
	case BLAME_KTHREAD:
		return REMEDY_KTHREAD;
	case BLAME_UNKNOWN:
		return NR_REMEDIES;
	default:
		return REMEDY_NEIGHBOUR;
	}
}

static enum remedy of_sleep(const struct explanation *explanation, const struct explain_row *row)
{
	/* A program that ends it, in whatever call: it supplies pages, or checks files. */
	bool by_program =
		row->role == CAUSE_WOKE && !row->from_interrupt && row->by.class != BLAME_KTHREAD;

	if (row->call == CALL_OUTSIDE)
		return by_program ? REMEDY_SLEEP : REMEDY_PAGES;
	if (is_asleep_in(explanation, row, SLEEP_LOCK))
		return REMEDY_LOCK;
	if (!by_program && is_asleep_in(explanation, row, SLEEP_DISK))
		return REMEDY_DISK;
	if (is_asleep_in(explanation, row, SLEEP_PAUSE))
		return REMEDY_TIMER;
	if (row->part == PART_SERVICE && row->role == CAUSE_WOKE && !row->from_interrupt &&
	    is_asleep_in(explanation, row, SLEEP_RECEIVE))
		return REMEDY_BACKEND;
	return row->role == CAUSE_WOKE && !row->from_interrupt ? REMEDY_SLEEP : NR_REMEDIES;
}

/* What another one did: it ran instead, woke the thread, or kept it at work. */
static enum remedy of_component(const struct explanation *explanation,
				const struct explain_row *row)
{
	switch (row->cost) {
	case COMPONENT_RUNQUEUE:
		return row->role == CAUSE_RAN ? remedy_of_class(row->by.class) : NR_REMEDIES;
	case COST_STOPPED:
		return REMEDY_STOPPED;
	case COMPONENT_BLOCKED:
		return row->call == CALL_STOPPED ? REMEDY_STOPPED : of_sleep(explanation, row);
	case COMPONENT_ROOM:
		return REMEDY_ROOM;
	case COMPONENT_DISPATCH:
		return REMEDY_DISPATCH;
	case COMPONENT_BUSY:
		return row->role == CAUSE_KEPT ? REMEDY_BUSY : REMEDY_WORK;
	case COST_ON_CPU:
		return row->role == CAUSE_INSIDE ? remedy_of_class(row->by.class) : REMEDY_WORK;
	case COMPONENT_WAKEUP:
		return row->role == CAUSE_INSIDE || row->by.class == BLAME_IDLE
			       ? remedy_of_class(row->by.class)
			       : NR_REMEDIES;
	case COMPONENT_SEND_PATH:
	case COMPONENT_RECEIVE:
	case COMPONENT_SWITCH:
		return row->role == CAUSE_INSIDE ? remedy_of_class(row->by.class) : REMEDY_KERNEL;
	default:
		return NR_REMEDIES;
	}
}

/* Whether workers of one program, which serves, wait for one another. */
static bool is_of_workers(const struct explanation *explanation, const struct lead *lead)
{
	const struct unit *unit = &explanation->typical.unit;
	const char *name[] = {unit->receiver_process, unit->receiver.comm};

	if (lead->row->cost != COMPONENT_RUNQUEUE || lead->row->by.class != BLAME_TASK ||
	    !explanation->typical.is_known)
		return false;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (name[i][0] && !compare_programs(lead->row->by.comm, name[i]))
			return true;
	}
	return false;
}

enum remedy remedy_of(const struct explanation *explanation, const struct lead *lead,
		      bool is_repeated)
{
	const struct explain_row *row = lead->row;
	static const enum remedy of_reason[NR_CAUSE_REASONS] = {
		[REASON_NONE] = NR_REMEDIES,
		[REASON_SPARE_FORBIDDEN] = REMEDY_WORKERS,
		[REASON_SPARE_ALLOWED] = REMEDY_SPARE,
		[REASON_CIRCLE] = REMEDY_CIRCLE,
		[REASON_CIRCLE_CALL] = REMEDY_CIRCLE_CALL,
		[REASON_CIRCLE_SELF] = REMEDY_CIRCLE_SELF,
		[REASON_TIMEOUT] = REMEDY_TIMEOUT,
		[REASON_TIMEOUT_DATA] = REMEDY_TIMEOUT,
		[REASON_TRIED] = REMEDY_TRIED,
		[REASON_SLACK] = REMEDY_SLACK,
		[REASON_RESERVE] = REMEDY_RESERVE,
		[REASON_NAGLE] = REMEDY_NAGLE,
		[REASON_DELAYED_ACK] = REMEDY_NAGLE,
		[REASON_CORK] = REMEDY_CORK,
		[REASON_CONGESTION] = REMEDY_WINDOW,
		[REASON_PACING] = REMEDY_PACING,
		[REASON_DEVICE] = REMEDY_DEVICE,
		[REASON_RETRANSMIT] = REMEDY_LOSS,
		[REASON_UNDER_WAY] = REMEDY_KERNEL,
		[REASON_IN_VAIN] = REMEDY_IN_VAIN,
		[REASON_SHORT_CALLS] = REMEDY_SHORT_CALLS,
		[REASON_CALLS_AGAIN] = REMEDY_CALLS_AGAIN,
		[REASON_CALLS_FAIL] = REMEDY_CALLS_FAIL,
		[REASON_FROZEN] = REMEDY_FROZEN,
		[REASON_TRACED] = REMEDY_STOPPED,
		[REASON_SEND_BUFFER] = REMEDY_SEND_BUFFER,
		[REASON_KERNEL_SPIN] = REMEDY_KERNEL_LOCK,
		[REASON_KERNEL_MUTEX] = REMEDY_KERNEL_LOCK,
		[REASON_KERNEL_RWSEM] = REMEDY_KERNEL_LOCK,
		[REASON_KERNEL_SEMAPHORE] = REMEDY_KERNEL_LOCK,
		[REASON_DISK_PAGE] = REMEDY_PAGES,
		[REASON_DISK] = REMEDY_DISK,
		[REASON_DISK_BUSY] = REMEDY_DISK_BUSY,
		[REASON_DISK_KERNEL] = REMEDY_DISK_BUSY,
		[REASON_RECLAIM] = REMEDY_RECLAIM,
		[REASON_DIRTY] = REMEDY_DIRTY,
		[REASON_RECLAIM_GROUP] = REMEDY_RECLAIM,
		[REASON_ACCEPT_QUEUE] = REMEDY_BACKLOG,
		[REASON_NO_ANSWER] = REMEDY_LOSS,
	};

	if (row->reason == REASON_TIMEOUT && is_asleep_in(explanation, row, SLEEP_PAUSE))
		return REMEDY_TIMER;
	if (row->reason == REASON_TIMEOUT && is_asleep_in(explanation, row, SLEEP_LOCK))
		return REMEDY_LOCK;
	if (row->reason)
		return of_reason[row->reason];
	if (row->cost == COST_ON_CPU && row->role == CAUSE_ITSELF && lead_has_faults(lead))
		return REMEDY_FAULTS;
	if (is_repeated)
		return REMEDY_REPETITION;
	if (is_of_workers(explanation, lead))
		return REMEDY_WORKERS;
	return of_component(explanation, row);
}
