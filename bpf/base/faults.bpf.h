/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the page faults of traced threads (--level deep). The kernel counts them for each thread.
 * Where a call begins or ends, and where the thread leaves its CPU, the count is compared with the
 * one before:
 *
 *	  call returns                    call begins    falls asleep    call returns
 *	----|------- own code ----------------|--------------|======|--------|---> time
 *	    |<----------- FAULTS ------------>|<-- FAULTS -->|<--- FAULTS -->|
 *
 * That costs less than a program at each fault, and shows the faults of copies in the kernel, too.
 * No event shows when the kernel has dealt with a fault: their time is not known.
 */
#pragma once

#include "base/disk.bpf.h"
#include "deep.h"
#include "kernel/compat.bpf.h"

/* The thread runs, or is about to leave its CPU. Not staged: the stage may be in use. */
static __always_inline void note_faults(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	u64 minor = READ(task, min_flt), major = READ(task, maj_flt);
	u64 since_ns = t->faults.since_ns;
	struct record_faults record = {};

	record.minor = minor - t->faults.minor;
	record.major = major - t->faults.major;
	t->faults.since_ns = now_ns;
	t->faults.minor = minor;
	t->faults.major = major;
	if (!since_ns || !(record.minor | record.major))
		return;
	record.head = record_head(RECORD_FAULTS, sizeof(record), bpf_get_smp_processor_id(),
				  state_tid(t, task));
	record.from_ns = since_ns;
	record.to_ns = now_ns;
	emit(&record, sizeof(record));
}

/* The thread leaves its CPU. */
OUT_OF_LINE void note_call_interrupted(struct task_state *t, struct task_struct *task, u64 now_ns)
{
	long state = sleep_of(task);

	note_faults(t, task, now_ns);
	if (!(state & TASK_UNINTERRUPTIBLE) || state & TASK_INTERRUPTIBLE)
		return;
	t->call.has_waited = 1;
	note_disk_asleep(t, task, now_ns);
}
