/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts the time of a thread into pieces, each with its culprit: what ran while the thread waited
 * for a CPU, what interrupted it, and what ended its sleeps.
 */
#pragma once

#include "analysis/causes/cutter.h"

/* Entries of all threads; beyond, older ones of the thread at hand are dropped. */
#define THREAD_LOG_MAX (1u << 18)

/* Empty. */
void thread_log_init(struct event_log *log);

/* The events of a thread in the order of time; borrowed until the next change of the log. */
struct thread_events {
	const struct thread_event *event;
	size_t cnt;
};

struct thread_events thread_log_of(struct event_log *log, uint32_t tid);

/* How many of them are at or before `at_ns`. */
size_t thread_events_until(const struct thread_events *events, uint64_t at_ns);

/*
 * Whether a thread has a real-time policy, so that it waits for an ordinary thread only if the
 * kernel reserves time for those.
 */
bool waits_in_realtime(struct cutter *cutter, uint32_t tid, uint64_t at_ns);

/*
 * REASON_SPARE_, or REASON_NONE, of the thread's wait for a CPU behind `by` in which it was at
 * `at_ns`. `*cpu`: the idle one.
 */
enum cause_reason spare_reason(struct cutter *cutter, uint32_t tid, uint64_t at_ns,
			       const struct blame *by, uint32_t *cpu);

/* The thread that ended the sleep in which thread `tid` was at `at_ns`; 0: none, or not known. */
uint32_t sleep_ended_by(struct cutter *cutter, uint32_t tid, uint64_t at_ns);

/* The pieces come in the order of time and cover the span. What is not known is UNKNOWN. */
void thread_cut(struct cutter *cutter, const struct thread_span *span, piece_fn *fn, void *ctx);

/* The same for a thread that runs all the time. */
void thread_cut_running(struct cutter *cutter, const struct thread_span *span, piece_fn *fn,
			void *ctx);
