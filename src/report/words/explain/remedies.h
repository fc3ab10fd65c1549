/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says what to do about a cause: one table of kinds of causes, which docs/causes.md shows as well.
 */
#pragma once

#include "report/words/explain/leads.h"

/* Kinds of causes. The first one in this order that a row meets is the row's. */
enum remedy {
	REMEDY_OWN,
	REMEDY_TIMEOUT,
	REMEDY_TRIED,
	REMEDY_CIRCLE,
	REMEDY_CIRCLE_CALL,
	REMEDY_CIRCLE_SELF,
	REMEDY_SLACK,
	REMEDY_SPARE,
	REMEDY_RESERVE,
	REMEDY_NAGLE,
	REMEDY_CORK,
	REMEDY_WINDOW,
	REMEDY_PACING,
	REMEDY_DEVICE,
	REMEDY_SEND_BUFFER,
	REMEDY_LOSS,
	REMEDY_IN_VAIN,
	REMEDY_BROADCAST,
	REMEDY_REPETITION,
	REMEDY_SHORT_CALLS,
	REMEDY_CALLS_AGAIN,
	REMEDY_CALLS_FAIL,
	REMEDY_OPENING,
	REMEDY_ACCEPT,
	REMEDY_QUOTA,
	REMEDY_STEAL,
	REMEDY_IDLE,
	REMEDY_INTERRUPTS,
	REMEDY_KTHREAD,
	REMEDY_WORKERS,
	REMEDY_NEIGHBOUR,
	REMEDY_FROZEN,
	REMEDY_STOPPED,
	REMEDY_KERNEL_LOCK,
	REMEDY_LOCK,
	REMEDY_DISK_BUSY,
	REMEDY_DISK,
	REMEDY_RECLAIM,
	REMEDY_DIRTY,
	REMEDY_FAULTS,
	REMEDY_PAGES,
	REMEDY_TIMER,
	REMEDY_BACKEND,
	REMEDY_SLEEP,
	REMEDY_ROOM,
	REMEDY_HOARD,
	REMEDY_EVENTS,
	REMEDY_PORT,
	REMEDY_BUSY,
	REMEDY_DISPATCH,
	REMEDY_WORK,
	REMEDY_KERNEL,
	REMEDY_BACKLOG,
	REMEDY_DROPS, /* of a report, not of an explanation */
	NR_REMEDIES
};

struct remedy_info {
	const char *cause; /* what it is called */
	const char *looks; /* how an explanation shows it */
	const char *helps; /* what to do */
	const char *source;
};

extern const struct remedy_info remedies[NR_REMEDIES];

/* By what had the CPU while a thread waited for it; NR_REMEDIES: that is not known. */
enum remedy remedy_of_class(enum blame_class class);

/* NR_REMEDIES: there is none. `is_repeated`: it is of calls that are made one after another. */
enum remedy remedy_of(const struct explanation *explanation, const struct lead *lead,
		      bool is_repeated);
