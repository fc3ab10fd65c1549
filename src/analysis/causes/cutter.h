/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the search for causes knows of all threads. */
#pragma once

#include "analysis/breakdown/blame.h"
#include "analysis/causes/thread_log.h"
#include "analysis/history/history.h"

/* What is known of all threads; the caller sets it, and owns what it points at. */
struct cutter {
	struct history *history;
	struct names *names;
	struct blame_roles roles;    /* of the message at hand */
	struct thread_log *sent;     /* by sender */
	struct thread_log *received; /* by receiver */
	struct thread_log *woken;    /* by the thread that another thread of its process woke */
	uint32_t (*reader_of)(void *ctx, uint32_t channel); /* tid; 0: not known */
	void *ctx;                                          /* of that */
	bool shows_interrupts; /* those of running threads are recorded (--level deep) */
	uint32_t left;         /* so many pieces may still be cut, to bound the work for one unit */
	struct blames blames;  /* working space */
};

/* As many pieces for one unit. */
#define PIECES_MAX 4096

/* A thread as a culprit. */
struct blame thread_culprit(struct cutter *cutter, uint32_t tid, uint64_t at_ns);

/* There is no culprit, or it is not known. */
static inline struct blame no_culprit(void)
{
	return (struct blame){.class = BLAME_UNKNOWN, .cpu = BLAME_CPU_UNKNOWN};
}
