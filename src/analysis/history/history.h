/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what threads and CPUs did recently. The history has these parts: the states of each
 * thread, its receive calls, what woke it, what ran on each CPU, and when the CPU left idle. The
 * history forgets entries that no message needs, and entries beyond limits of time and memory.
 */
#pragma once

#include "analysis/history/cpu_slices.h"
#include "analysis/history/deep_events.h"
#include "analysis/history/timeline.h"
#include "container/event_log.h"

/*
 * How much time is kept at most. It is halved, down to the least, while there are too many entries.
 */
#define HISTORY_MAX_NS 60000000000ULL
#define HISTORY_MIN_NS 200000000ULL

/* All entries together: about 100 MB. */
#define HISTORY_MAX (1u << 22)

/* Receive calls of one thread; older ones are dropped. */
#define RECEIVE_CALLS_MAX (1u << 21)

/* The caller may use the parts, which are owned. */
struct history {
	struct timelines *timelines;
	struct event_log calls; /* receive calls by thread, which do not overlap */
	struct cpu_slices *cpus;

	struct deep_events *deep; /* empty but at --level deep */

	uint64_t kept_ns; /* how much time is kept at present */
};

int history_init(struct history *history); /* 0 or -ENOMEM; history_clean() follows in any case */
void history_clean(struct history *history);

/*
 * A receive call has returned. A thread in one waits for every message of the socket, not only for
 * the message that the call returns. In any order. 0 or -ENOMEM.
 */
int history_add_call(struct history *history, const struct record_receive *receive);

/* Whether thread `tid` was in a receive call at that instant; `*channel`: what it received from. */
bool history_call_at(struct history *history, uint32_t tid, uint64_t at_ns, uint32_t *channel);

/* How many changes, calls and slices are kept. */
size_t history_cnt(const struct history *history);

/*
 * All records from before `before_ns` are here (UINT64_MAX: all records). Forgets what is older
 * than `horizon_ns`, from where on pending messages need it, and what is too old in any case.
 */
void history_trim(struct history *history, uint64_t before_ns, uint64_t horizon_ns);
